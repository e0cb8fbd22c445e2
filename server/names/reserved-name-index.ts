import { sql } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { reservedNames } from '#db/schema/index.ts';

/** The reserved names in memory, with the moment (ms) at which each becomes available; Infinity: never. */
export class ReservedNameIndex {
  #until = new Map<string, number>();
  /** What was read last. */
  #read: string | undefined;
  /** Grows with every change that this server has made. */
  #changes = 0;

  constructor(private readonly db: Db) {}

  isReserved(name: string, now: number): boolean {
    return (this.#until.get(name) ?? -Infinity) > now;
  }

  /** Call after this server has reserved a name. @param expiresAt null: reserved indefinitely */
  add(name: string, expiresAt: Date | null): void {
    this.#changed();
    this.#until.set(name, expiresAt?.getTime() ?? Infinity);
  }

  /** Call after this server has released a name. */
  delete(name: string): void {
    this.#changed();
    this.#until.delete(name);
  }

  #changed(): void {
    this.#changes++;
    this.#read = undefined;
  }

  /**
   * Reads the list. Reviewers write it by hand, so it is short: one text of names and moments, compared with the one
   * before.
   */
  async refresh(): Promise<void> {
    const before = this.#changes;
    const { name, expiresAt } = reservedNames;
    const [row] = await this.db
      .select({
        list: sql<
          string | null
        >`string_agg(${name} || '@' || coalesce((extract(epoch from ${expiresAt}) * 1000)::bigint::text, ''), ' ' order by ${name})`,
      })
      .from(reservedNames);
    const list = row?.list ?? '';
    // A change of this server may be missing in it; the next one has it.
    if (before !== this.#changes || list === this.#read) return;
    this.#read = list;
    this.#until = new Map(
      list.split(' ').flatMap((entry) => {
        const at = entry.lastIndexOf('@');
        const moment = entry.slice(at + 1);
        return at < 0 ? [] : [[entry.slice(0, at), moment === '' ? Infinity : Number(moment)]];
      }),
    );
  }
}
