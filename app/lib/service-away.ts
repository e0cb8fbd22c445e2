import * as hrefs from './hrefs.ts';

/** What a page says while the service doesn't answer. */
export interface Away {
  /** This device has no network at all. */
  offline: boolean;
  /** When the data on the page was right (ms, by the server's clock); null where it isn't known. */
  asOf: number | null;
  /** When the service is asked again (ms, by this device's clock); null while it is being asked. */
  nextAt: number | null;
}

/** Seconds from one question to the next. During the first the page says nothing: most connections are back by then. */
const WAITS = [1, 2, 4, 8, 15];
/** An answer that takes longer counts as none (ms). */
const TIMEOUT_MS = 5000;

/** The event of the window that tells whoever lost the connection that the service answers again. */
export const SERVICE_BACK = 'serviceback';

/**
 * Whether the service answers, for the whole page: its stream, its refreshes and its forms say what they meet. While there is
 * no answer it asks for one, less and less often, and then tells everybody at once. It stays `null` on the server.
 */
export class ServiceAway {
  #away: Away | null = null;
  #asOf: number | null = null;
  /** Answers that did not come; null while the service answers. */
  #missed: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = false;
  readonly #listeners = new Set<() => void>();

  /** @param isReady asks the service */
  constructor(private readonly isReady: () => Promise<boolean>) {}

  /** The same object until something changes; null while there is nothing to say. */
  readonly snapshot = (): Away | null => this.#away;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The connection is lost. @param asOf when what is shown was right */
  lost(asOf: number): void {
    this.#asOf = asOf;
    if (this.#missed === null) this.#begin(0);
    else if (this.#away) this.#show(this.#away.nextAt);
  }

  /** Something that a visitor asked for had no answer. */
  unanswered(): void {
    if (this.#missed === null) this.#begin(1);
  }

  /** The service has answered. */
  found(): void {
    if (this.#missed === null) return;
    this.#missed = null;
    this.#asOf = null;
    clearTimeout(this.#timer);
    window.removeEventListener('online', this.askNow);
    window.removeEventListener('offline', this.#wait);
    document.removeEventListener('visibilitychange', this.askNow);
    if (!this.#away) return;
    this.#away = null;
    this.#notify();
  }

  /** Asks without waiting any longer, unless nobody sees the page. */
  readonly askNow = (): void => void this.#ask();

  #begin(missed: number): void {
    this.#missed = missed;
    window.addEventListener('online', this.askNow);
    window.addEventListener('offline', this.#wait);
    document.addEventListener('visibilitychange', this.askNow);
    this.#wait();
  }

  async #ask(): Promise<void> {
    if (this.#missed === null || this.#asking || document.hidden) return;
    clearTimeout(this.#timer);
    this.#asking = true;
    if (this.#away) this.#show(null);
    const ready = await this.isReady();
    this.#asking = false;
    // Something else may have had an answer meanwhile.
    if (this.#missed === null) return;
    if (ready) {
      this.found();
      window.dispatchEvent(new Event(SERVICE_BACK));
    } else {
      this.#missed++;
      this.#wait();
    }
  }

  readonly #wait = (): void => {
    clearTimeout(this.#timer);
    const missed = this.#missed ?? 0;
    const seconds = WAITS[Math.min(missed, WAITS.length - 1)] as number;
    // Spread out, so that pages don't all ask at once when a server comes back.
    const ms = seconds * 1000 * (0.75 + Math.random() / 2);
    this.#timer = setTimeout(this.askNow, ms);
    if (missed > 0 || !navigator.onLine) this.#show(Date.now() + ms);
  };

  #show(nextAt: number | null): void {
    this.#away = { offline: !navigator.onLine, asOf: this.#asOf, nextAt };
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

const isReady = () =>
  fetch(hrefs.readyz(), { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );

export const serviceAway = new ServiceAway(isReady);
