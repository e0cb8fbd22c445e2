import type { AnnounceAnswer } from '@mesh-registry/client/index.ts';
import type { Journal } from './journal.ts';
import { describeListing } from './messages.ts';
import type { OfferStatus } from './status.ts';

/** The offers as the service has them, and what is told when that changes. */
export class Offers {
  #rows: OfferStatus[] = [];
  #problems: readonly string[] = [];

  constructor(private readonly journal: Journal) {}

  get rows(): OfferStatus[] {
    return this.#rows;
  }

  /** Some cannot be announced while others can: told once, while it stays the same. */
  onProblems(problems: readonly string[]): void {
    for (const problem of problems)
      if (!this.#problems.includes(problem)) this.journal.warn('free_slots_unknown', problem);
    this.#problems = problems;
  }

  onAnswer({ computes }: AnnounceAnswer): void {
    const before = new Map(this.#rows.map((row) => [row.name, row]));
    this.#rows = computes.map(({ name, freeSlots, listed, reason }) => ({
      name,
      freeSlots,
      listed,
      reason,
    }));
    for (const row of this.#rows) {
      const known = before.get(row.name);
      if (known?.listed === row.listed && known.reason === row.reason) continue;
      const event = row.listed ? 'offer_listed' : 'offer_not_listed';
      this.journal.info(event, describeListing(row), { ...row });
    }
  }
}
