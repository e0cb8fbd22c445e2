import type { AnnounceAnswer, PingAnswer } from '@mesh-registry/client/index.ts';
import type { Journal } from './journal.ts';
import type { OfferStatus, PublishedNode } from './status.ts';

/** What the service publishes of the node and of its offers, and what is told when that changes. */
export class Published {
  #node: PublishedNode | null = null;
  #offers: OfferStatus[] = [];
  #problems: readonly string[] = [];
  #notice: string | undefined;

  constructor(
    private readonly journal: Journal,
    private readonly configFile: string,
  ) {}

  /** Null: no heartbeat has been accepted yet. */
  get node(): PublishedNode | null {
    return this.#node;
  }

  get offers(): OfferStatus[] {
    return this.#offers;
  }

  /** @param wasKnown the service has accepted heartbeats of this node before */
  onHeartbeat(answer: PingAnswer, wasKnown: boolean): void {
    const { label, class: size, region, status, lat, lng } = answer.peer;
    const isFirst = this.#node === null;
    this.#node = { label, class: size, region, status, lat, lng };
    if (answer.isNew && wasKnown)
      this.journal.warn(
        'node_forgotten',
        'The service did not know this node any more: it was restored from a back-up, or the node was removed. It is on the map again.',
      );
    if (!isFirst) return;
    const everyS = Math.round(answer.nextPingMs / 1000);
    this.journal.info(
      'on_the_map',
      `${answer.isNew ? 'New on the map' : 'On the map'} as "${label}" at ${lat}, ${lng} (${status}). A heartbeat follows every ${everyS} s.`,
      { peer: answer.peer },
    );
    if (answer.dropped.includes('label'))
      this.journal.warn(
        'label_dropped',
        `The service does not publish the label: it looks like an address, or nothing is left of it without markup. Change node.label in ${this.configFile}.`,
      );
  }

  onAnnouncement({ computes, notice }: AnnounceAnswer): void {
    if (notice !== undefined && notice !== this.#notice)
      this.journal.warn('visibility_left_out', `${notice} That is in ${this.configFile}.`);
    this.#notice = notice;
    const before = new Map(this.#offers.map((offer) => [offer.name, offer]));
    this.#offers = computes.map(({ name, freeSlots, listed, reason }) => ({
      name,
      freeSlots,
      listed,
      reason,
    }));
    for (const offer of this.#offers) {
      const known = before.get(offer.name);
      if (known?.listed === offer.listed && known.reason === offer.reason) continue;
      const event = offer.listed ? 'offer_listed' : 'offer_not_listed';
      this.journal.info(event, describeListing(offer), { ...offer });
    }
  }

  /** Some offers cannot be announced while others can: each reason is told once, while it stays the same. */
  onProblems(problems: readonly string[]): void {
    for (const problem of problems)
      if (!this.#problems.includes(problem)) this.journal.warn('free_slots_unknown', problem);
    this.#problems = problems;
  }
}

function describeListing({ name, listed, reason }: OfferStatus): string {
  if (listed) return `The offer ${name} is in the public directory.`;
  switch (reason) {
    case 'name_not_active':
      return `The offer ${name} is announced, and listed once its name is active. To register it: mesh-agent register ${name} --kinds compute`;
    case 'name_owned_by_another_node':
      return `The offer ${name} is announced but not listed: another node has that name. Choose another name.`;
    case 'registration_lacks_compute':
      return `The offer ${name} is announced but not listed: its name is registered without the kind "compute".`;
    default:
      return `The offer ${name} is announced but not listed (${reason ?? 'no reason given'}).`;
  }
}
