import { performance } from 'node:perf_hooks';
import { AppError } from '#server/common/errors.schema.ts';

/** How much of this process renderings of pages may take. */
export const RENDERING = {
  /** Beside other requests, after a rendering the event loop is left to them for so many times as long. */
  rest: 3,
  /** Other requests count for this long, milliseconds. */
  busyMs: 1000,
  /** The next rendering doesn't wait longer for one that waits itself, such as for the database, milliseconds. */
  stallMs: 100,
  /** Begun and not ended. */
  atOnce: 32,
  /** Who waited this long without a turn is refused, milliseconds. */
  waitMs: 2000,
  /** Places in one line, and in all. */
  line: 64,
  places: 1024,
};

export type RenderLimits = typeof RENDERING;

interface Place {
  line: string;
  begin: () => Promise<void>;
}

/**
 * Whose turn it is to render a page. Rendering takes milliseconds of the event loop, in which no heartbeat is answered: so
 * one begins after the other, with rests that keep them below a quarter of a core while other requests come. Each
 * client has a line of its own, and the lines take turns. Reviewers come first and need no rest.
 */
export class RenderQueue {
  /** A line that has had its turn goes to the end: a map keeps the order of insertion. */
  readonly #lines = new Map<string, Place[]>();
  readonly #first: Place[] = [];
  #places = 0;
  #begun = 0;
  /** The rendering that holds up the others, until when at most. */
  #holder: Place | undefined;
  #heldUntil = 0;
  #restUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param isBusy whether other requests have come lately */
  constructor(
    private readonly isBusy: () => boolean,
    readonly limits: RenderLimits,
  ) {}

  /** Renderings that wait for their turn. */
  get waiting(): number {
    return this.#places;
  }

  /**
   * Takes a place.
   * @param line null: before all others
   * @param begin called once, not before this returns
   * @returns leaves the place, unless it has had its turn
   * @throws AppError `unavailable` if all places are taken
   */
  enter(line: string | null, begin: () => Promise<void>): () => void {
    const { line: most, places } = this.limits;
    const place = { line: line ?? '', begin };
    const others = line === null ? this.#first : (this.#lines.get(line) ?? []);
    if (others.length >= most || this.#places >= places) throw tooBusy();
    others.push(place);
    if (line !== null) this.#lines.set(line, others);
    this.#places++;
    this.#schedule(0);
    return () => this.#leave(others, place);
  }

  #leave(others: Place[], place: Place): void {
    const at = others.indexOf(place);
    if (at < 0) return;
    others.splice(at, 1);
    this.#places--;
    if (others.length === 0) this.#lines.delete(place.line);
  }

  /** The next place, which it leaves. */
  #next(): Place | undefined {
    const [line, places] = this.#lines.entries().next().value ?? ['', []];
    const others = this.#first.length > 0 ? this.#first : places;
    const place = others[0];
    if (!place) return undefined;
    this.#leave(others, place);
    if (others === places && this.#lines.delete(line)) this.#lines.set(line, places);
    return place;
  }

  /** Looks again in so many milliseconds: at the earliest once the requests that have arrived meanwhile are read. */
  #schedule(ms: number): void {
    if (ms === 0) return void setImmediate(() => this.#begin());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#begin(), ms);
  }

  #begin(): void {
    if (this.#places === 0 || this.#begun >= this.limits.atOnce) return;
    const now = performance.now();
    const heldMs = this.#holder ? this.#heldUntil - now : 0;
    const restMs = this.#first.length > 0 ? 0 : this.#restUntil - now;
    const waitMs = Math.max(heldMs, restMs);
    if (waitMs > 0) return this.#schedule(Math.ceil(waitMs));
    const place = this.#next();
    if (place) void this.#run(place, now);
  }

  async #run(place: Place, now: number): Promise<void> {
    const { stallMs, rest } = this.limits;
    this.#begun++;
    this.#holder = place;
    this.#heldUntil = now + stallMs;
    this.#schedule(stallMs);
    const before = performance.eventLoopUtilization();
    await place.begin();
    const { active } = performance.eventLoopUtilization(before);
    this.#begun--;
    if (this.#holder === place) this.#holder = undefined;
    // What the loop did meanwhile was this rendering, for the most part.
    const restMs = this.isBusy() ? rest * Math.min(active, stallMs) : 0;
    this.#restUntil = Math.max(this.#restUntil, performance.now() + restMs);
    this.#schedule(0);
  }
}

const RETRY_SECONDS = 2;

/** Of a page that wasn't rendered: nothing has been read or changed. */
export const tooBusy = (): AppError =>
  new AppError('unavailable', 'Many pages are being opened at the moment. Try again in a moment.', {
    retryAfter: RETRY_SECONDS,
  });
