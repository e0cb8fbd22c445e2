/** The router at one moment. */
interface Router {
  /** The path and query that a navigation leads to; null: none is under way. */
  loading: string | null;
  /** The history entry that is shown. */
  entry: { state: unknown };
  navigate: (
    to: string,
    options: { replace: true; preventScrollReset: true; state: unknown },
  ) => void;
}

/**
 * When the URL follows something that changes often: once that rests, but not before a link that was clicked
 * meanwhile has led somewhere. See useRestingUrl, which ties it to the router.
 */
export class RestingUrl {
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** It rests, and the URL hasn't followed yet. */
  #due = false;
  /** Where our own latest navigation leads. */
  #own: string | null = null;

  /** @param onRest called when it rests; `follow` is then to be called as soon as the router may navigate */
  constructor(
    private readonly restMs: number,
    private readonly onRest: () => void,
  ) {}

  /** It has changed again. */
  readonly changed = (): void => {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#due = true;
      this.onRest();
    }, this.restMs);
  };

  /** The URL need not follow any more. */
  readonly stop = (): void => {
    clearTimeout(this.#timer);
    this.#due = false;
  };

  /**
   * To be called whenever a navigation begins or ends, too.
   * @param href the URL as it should be by now; null: as it is
   */
  follow({ loading, entry, navigate }: Router, href: () => string | null): void {
    if (!this.#due || (loading !== null && loading !== this.#own)) return;
    this.#due = false;
    this.#own = href();
    if (this.#own !== null)
      navigate(this.#own, { replace: true, preventScrollReset: true, state: entry.state });
  }
}
