import { performance } from 'node:perf_hooks';
import { AppError } from '#server/common/errors.schema.ts';

/** How much of this process renderings of pages may take, and how long a page is given to others. */
export const RENDERING = {
  /** Beside other requests, for what a rendering takes the event loop is left to them for so many times as long. */
  rest: 3,
  /** Renderings and rests that may be put off, milliseconds: whoever opens a few pages waits for no rest. */
  burstMs: 400,
  /** What one rendering counts at most, milliseconds: one that takes longer has waited, such as for the database. */
  longestMs: 50,
  /** The next rendering waits no longer for one that hasn't ended, milliseconds. */
  stallMs: 10,
  /** Other requests count for this long, milliseconds. */
  busyMs: 1000,
  /** Begun and not ended. */
  atOnce: 32,
  /** Who waited this long without a turn is refused, milliseconds. */
  waitMs: 2000,
  /** Places in one line, and in all. */
  line: 64,
  places: 1024,
  /** A shared page is given to others for this long from the start of its rendering, milliseconds. */
  sharedMs: 1000,
  /**
   * So many requests for a URL within that time get a page of their own: whoever has just sent a heartbeat and looks sees it
   * on the page.
   */
  ownPages: 4,
  /** Beside other requests, a client gets so many pages of others at once, and then one each millisecond. */
  sharedAtOnce: 64,
};

export type RenderLimits = typeof RENDERING;

interface Place {
  line: string;
  begin: () => Promise<void>;
}

/**
 * Whose turn it is to render a page. Rendering takes milliseconds of the event loop, in which no heartbeat is answered: so
 * one begins after the other, with rests that keep them at a quarter of a core while other requests come. Each
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
  /** When the rests of all renderings so far are over, were they taken one after the other. */
  #restedAt = 0;
  /** Up to where the time of the loop is counted. */
  #counted = performance.eventLoopUtilization();
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

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
    if (ms > 0) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#begin(), ms);
      return;
    }
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#places === 0 || this.#begun >= this.limits.atOnce) return;
    const now = performance.now();
    const heldMs = this.#holder ? this.#heldUntil - now : 0;
    const restMs = this.#first.length > 0 ? 0 : this.#restedAt - now - this.limits.burstMs;
    const waitMs = Math.max(heldMs, restMs);
    if (waitMs > 0) return this.#schedule(Math.ceil(waitMs));
    const place = this.#next();
    if (place) void this.#run(place, now);
  }

  async #run(place: Place, now: number): Promise<void> {
    const { stallMs, longestMs, rest } = this.limits;
    if (this.#begun++ === 0) this.#counted = performance.eventLoopUtilization();
    this.#holder = place;
    this.#heldUntil = now + stallMs;
    this.#schedule(stallMs);
    await place.begin();
    this.#begun--;
    if (this.#holder === place) this.#holder = undefined;
    // What the loop did meanwhile was rendering, for the most part.
    const { active } = performance.eventLoopUtilization(this.#counted);
    this.#counted = performance.eventLoopUtilization();
    const ms = Math.min(active, longestMs) * (this.isBusy() ? 1 + rest : 0);
    this.#restedAt = Math.max(this.#restedAt, now) + ms;
    this.#schedule(0);
  }
}

const RETRY_SECONDS = 2;

/** Of a page that wasn't rendered: nothing has been read or changed. */
export const tooBusy = (): AppError =>
  new AppError('unavailable', 'Many pages are being opened at the moment. Try again in a moment.', {
    retryAfter: RETRY_SECONDS,
  });
