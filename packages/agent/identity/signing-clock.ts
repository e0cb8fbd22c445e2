import type { MeshRegistry, Result } from '@mesh-registry/client/index.ts';

/** By how much it may be ahead of this machine's clock, milliseconds: the service accepts five minutes. */
const AHEAD_MS = 240_000;

/**
 * The clock that signatures name. It never goes back, because a service accepts no heartbeat that was signed before the
 * last one: when this machine's clock is set back by a few minutes, heartbeats go on.
 */
export class SigningClock {
  #latest = -Infinity;
  #offsetMs = 0;

  /** @param clock this machine's, milliseconds since 1970 */
  constructor(private readonly clock: () => number = Date.now) {}

  readonly now = (): number => {
    const now = this.clock() + this.#offsetMs;
    this.#latest = this.#latest - now > AHEAD_MS ? now : Math.max(this.#latest, now);
    return this.#latest;
  };

  /**
   * Sends what the node signs. If the service refuses the signature, it is signed and sent once more, by the service's
   * clock: that of this machine may be slow, so that the service seems to have started since.
   */
  async send<Value>(
    client: MeshRegistry,
    send: () => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    const result = await send();
    if (result.ok || result.problem.kind !== 'refused') return result;
    if (result.problem.code !== 'signature_invalid') return result;
    const described = await client.describePing();
    if (!described.ok) return result;
    const theirs = Date.parse(described.headers.get('date') ?? '');
    if (!Number.isNaN(theirs)) this.#offsetMs = theirs - this.clock();
    return send();
  }
}
