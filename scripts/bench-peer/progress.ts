import type { PeerEvent } from '@mesh-registry/peer/context.ts';
import type { PeerStatus } from '@mesh-registry/peer/base/status.ts';

/** Milliseconds since 1970, as all processes of this machine count them, and finer than `Date.now()`. */
export const moment = (): number => performance.timeOrigin + performance.now();

/** What a peer is to reach. */
export interface Target {
  /** Peers of which it has a record. */
  known?: number;
  sessions?: number;
  /** The version of the truth. */
  truth?: number;
  height?: number;
  /** A peer with which it has no session. */
  without?: string;
}

/** Follows a peer by its events: its status costs too much to be asked for after each of them. */
export class Progress {
  #sessions = new Set<string>();
  #known = 0;
  #truth = 0;
  #height = 0;
  readonly #waiting = new Map<Target, (at: number) => void>();

  /** Begins with what it has now, such as what it had on disk. */
  begin({ sessions, known, truth, log }: PeerStatus): void {
    this.#sessions = new Set(sessions.map(({ peer }) => peer));
    this.#known = known;
    this.#truth = truth?.version ?? 0;
    this.#height = log.height;
  }

  /** @returns the moment at which the peer reached the target: the present one, if it has already */
  reach(target: Target): Promise<number> {
    if (this.#has(target)) return Promise.resolve(moment());
    return new Promise((resolve) => this.#waiting.set(target, resolve));
  }

  take(event: PeerEvent): void {
    if (event.kind === 'connected') this.#sessions.add(event.peer);
    else if (event.kind === 'disconnected') this.#sessions.delete(event.peer);
    else if (event.kind === 'learned') this.#known = event.known;
    else if (event.kind === 'truth') this.#truth = event.truth;
    else if (event.kind === 'blocks') this.#height = event.height;
    for (const [target, resolve] of this.#waiting)
      if (this.#has(target)) {
        this.#waiting.delete(target);
        resolve(moment());
      }
  }

  #has({ known = 0, sessions, truth = 0, height = 0, without }: Target): boolean {
    return (
      this.#known >= known &&
      (sessions === undefined || this.#sessions.size === sessions) &&
      this.#truth >= truth &&
      this.#height >= height &&
      (without === undefined || !this.#sessions.has(without))
    );
  }
}
