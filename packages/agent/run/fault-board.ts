import { duration } from './clock.ts';
import type { Fault, FaultKind } from './fault.ts';
import type { Journal } from './journal.ts';

/** What can fail on its own. */
export type Channel = 'heartbeats' | 'announcements' | 'state';

export interface ActiveFault extends Fault {
  /** Since when nothing has been accepted on this channel, ms since 1970. */
  since: number;
}

interface Outage {
  fault: ActiveFault;
  /** Each kind is told once in an outage, also when two of them alternate. */
  told: Set<FaultKind>;
}

/** Tells each fault once when it begins and once when it is over, whatever the number of attempts and channels. */
export class FaultBoard {
  readonly #outages = new Map<Channel, Outage>();

  constructor(
    private readonly journal: Journal,
    private readonly now: () => number,
  ) {}

  raise(channel: Channel, fault: Fault): void {
    const outage = this.#outages.get(channel);
    const since = outage?.fault.since ?? this.now();
    const told = outage?.told ?? new Set();
    const known = told.has(fault.kind) || this.#toldElsewhere(channel, fault);
    told.add(fault.kind);
    this.#outages.set(channel, { fault: { ...fault, since }, told });
    if (!known) this.journal.warn(`fault_${fault.kind}`, fault.message, { channel });
  }

  /** @param what is told if there was a fault: "Heartbeats are accepted again" */
  clear(channel: Channel, what: string): void {
    const outage = this.#outages.get(channel);
    if (!outage) return;
    this.#outages.delete(channel);
    const lasted = duration(this.now() - outage.fault.since);
    this.journal.info('recovered', `${what}, after ${lasted}.`, {
      channel,
      faults: [...outage.told],
    });
  }

  /** Forgets a fault without telling that it is over: the channel is no longer used. */
  forget(channel: Channel): void {
    this.#outages.delete(channel);
  }

  get(channel: Channel): ActiveFault | null {
    return this.#outages.get(channel)?.fault ?? null;
  }

  /** The service is away for heartbeats and announcements alike: one message is enough. */
  #toldElsewhere(channel: Channel, fault: Fault): boolean {
    return [...this.#outages].some(
      ([other, { fault: active }]) =>
        other !== channel && active.kind === fault.kind && active.message === fault.message,
    );
  }
}
