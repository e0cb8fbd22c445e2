import { AppError } from '#server/common/errors.schema.ts';
import type { Config } from '#server/config.ts';

/** After a refusal, a client may try again in this many seconds. */
const RETRY_AFTER_S = 10;

/** Counts the open event streams of this process, in total and of each client. */
export class OpenStreams {
  #total = 0;
  readonly #ofClient = new Map<string, number>();

  constructor(
    private readonly limits: Pick<Config, 'maxStreams' | 'streamsPerClient' | 'rateLimits'>,
  ) {}

  get total(): number {
    return this.#total;
  }

  /**
   * @param client see {@link RequestContext.client}
   * @returns call it when the stream has ended
   * @throws AppError `rate_limited`
   */
  open(client: string): () => void {
    const { maxStreams, streamsPerClient, rateLimits } = this.limits;
    const own = this.#ofClient.get(client) ?? 0;
    if (rateLimits && own >= streamsPerClient)
      throw refusal(`Your network has ${own} event streams open, the most that one may have.`);
    if (this.#total >= maxStreams) throw refusal('The server has as many event streams as it can.');
    this.#total++;
    this.#ofClient.set(client, own + 1);
    return () => {
      this.#total--;
      const left = (this.#ofClient.get(client) ?? 1) - 1;
      if (left === 0) this.#ofClient.delete(client);
      else this.#ofClient.set(client, left);
    };
  }
}

const refusal = (message: string) =>
  new AppError('rate_limited', `${message} Close some, or try again in ${RETRY_AFTER_S} seconds.`, {
    retryAfter: RETRY_AFTER_S,
  });
