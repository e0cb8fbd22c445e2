import { performance } from 'node:perf_hooks';
import type { AppError } from './errors.schema.ts';
import { FairLines } from './fair-lines.ts';

/** How much of this process some kind of work may take. */
export interface TurnLimits {
  /** Beside other requests, for what work takes the event loop is left to them for so many times as long. */
  rest: number;
  /** Work and rests that may be put off, milliseconds: whoever asks for a little waits for no rest. */
  burstMs: number;
  /** What one piece of work counts at most, milliseconds: one that takes longer has waited, such as for the database. */
  longestMs: number;
  /** The next one waits no longer for one that hasn't ended, milliseconds. */
  stallMs: number;
  /** Begun and not ended. */
  atOnce: number;
  /** So many more for those who come first, whatever holds up the others. */
  reserved: number;
  /** Who waited this long without a turn is refused, milliseconds. */
  waitMs: number;
  /** Places in one line. Those who come first have one of their own. */
  line: number;
  /** Places in all other lines. */
  places: number;
}

/** What waits in a line. One of the two is called, once, and not before the place is taken. */
interface Place {
  begin: () => Promise<void>;
  /** Another line has got the place. */
  refuse: () => void;
}

/**
 * Whose turn it is. The work takes milliseconds of the event loop, in which no heartbeat is answered: so one piece begins
 * after the other, with rests that keep them at a part of a core while other requests come. Each client has a line of its
 * own, and the lines take turns. Some come first, need no place of the others and take no rest.
 */
export class TurnQueue {
  readonly #lines: FairLines<Place>;
  readonly #first: FairLines<Place>;
  #begun = 0;
  /** The work that holds up the others, until when at most. */
  #holder: Place | undefined;
  #heldUntil = 0;
  /** When the rests so far are over, were they taken one after the other. */
  #restedAt = 0;
  /** Up to where the time of the loop is counted. */
  #counted = performance.eventLoopUtilization();
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

  /**
   * @param isBusy whether other requests have come lately
   * @param refusal makes the error of who gets no place, or no turn in time
   */
  constructor(
    private readonly isBusy: () => boolean,
    readonly limits: TurnLimits,
    readonly refusal: () => AppError,
  ) {
    this.#lines = new FairLines(limits);
    this.#first = new FairLines({ line: limits.line, places: limits.line });
  }

  /** Pieces of work that wait for their turn. */
  get waiting(): number {
    return this.#first.size + this.#lines.size;
  }

  /**
   * @param line null: before all others
   * @returns leaves the place, unless it has had its turn; null if there is none
   */
  enter(line: string | null, place: Place): (() => void) | null {
    const lines = line === null ? this.#first : this.#lines;
    if (!lines.enter(line ?? '', place)) return null;
    this.#schedule(0);
    return () => lines.leave(line ?? '', place);
  }

  /** Looks again in so many milliseconds: at the earliest once the requests that have arrived meanwhile are read. */
  #schedule(ms: number): void {
    if (ms > 0) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#begin(), ms).unref();
      return;
    }
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      this.#begin();
    });
  }

  #begin(): void {
    const { atOnce, reserved, burstMs } = this.limits;
    const isFirst = this.#first.size > 0;
    if (this.waiting === 0 || this.#begun >= atOnce + (isFirst ? reserved : 0)) return;
    const now = performance.now();
    const heldMs = this.#holder ? this.#heldUntil - now : 0;
    const restMs = isFirst ? 0 : this.#restedAt - now - burstMs;
    const waitMs = Math.max(heldMs, restMs);
    if (waitMs > 0) return this.#schedule(Math.ceil(waitMs));
    const place = this.#first.next() ?? this.#lines.next();
    if (place) void this.#run(place, now);
  }

  async #run(place: Place, now: number): Promise<void> {
    const { stallMs, longestMs, rest, burstMs } = this.limits;
    if (this.#begun++ === 0) this.#counted = performance.eventLoopUtilization();
    this.#holder = place;
    this.#heldUntil = now + stallMs;
    this.#schedule(stallMs);
    await place.begin();
    this.#begun--;
    if (this.#holder === place) this.#holder = undefined;
    // What the loop did meanwhile was this work, for the most part.
    const { active } = performance.eventLoopUtilization(this.#counted);
    this.#counted = performance.eventLoopUtilization();
    const restOf = (ms: number) => (this.isBusy() ? ms * (1 + rest) : 0);
    // Those who come first take no rest, and leave the others no longer one than anybody does.
    this.#restedAt = Math.min(
      Math.max(this.#restedAt, now) + restOf(Math.min(active, longestMs)),
      performance.now() + burstMs + restOf(longestMs),
    );
    this.#schedule(0);
  }
}
