import { LIMITS } from '../base/limits.ts';
import { Line, TokenBucket, untilTaken } from '../base/token-bucket.ts';
import type { Budget } from '../guard/budgets.ts';

/** How many bytes of blocks and truths are sent, to all peers together. */
export class Uploads {
  readonly #bucket: TokenBucket | null;
  /** Hosts take turns, so one that asks for much holds up none that asks for little. */
  readonly #line = new Line();
  /** How long a part should be: short enough for several peers to get one before they lose patience. */
  readonly partBytes: number;

  /** @param rate bytes a second; undefined: without a bound */
  constructor(rate: number | undefined) {
    this.#bucket = rate === undefined ? null : new TokenBucket(rate, rate);
    this.partBytes = rate === undefined ? LIMITS.packBytes : Math.min(LIMITS.packBytes, rate / 4);
  }

  /**
   * The next part for a peer of a host, read once it is its turn: what waits takes no memory.
   * @param signal ends the waiting: nothing is read, or counted, for who has gone
   * @throws what `read` throws, or if the signal has ended
   */
  async next<T extends Uint8Array | undefined>(
    { inTurn }: Pick<Budget, 'inTurn'>,
    signal: AbortSignal,
    read: () => T,
  ): Promise<T> {
    const bucket = this.#bucket;
    if (bucket === null) return read();
    const turn = async () => {
      await untilTaken(() => bucket.has(0), signal);
      const part = read();
      bucket.spend(part?.byteLength ?? 0);
      return part;
    };
    return inTurn(() => this.#line.join(turn, signal), signal);
  }
}
