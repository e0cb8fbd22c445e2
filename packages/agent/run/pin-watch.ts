import type { MeshRegistry } from '@mesh-registry/client/index.ts';
import type { Clock } from './clock.ts';
import type { Journal } from './journal.ts';

/** How often the service is asked, milliseconds. */
const EVERY_MS = 900_000;

/** `unknown`: the service has not said, or knows no keys. */
export type Pin = 'unknown' | 'none' | 'this_key' | 'another_key' | 'revoked';

/**
 * Watches to which key the node is pinned. A heartbeat does not tell: one that is signed is accepted without a pin too,
 * for example after the service was restored from a back-up.
 */
export class PinWatch {
  #askedAt = -Infinity;
  #pin: Pin = 'unknown';

  constructor(private readonly options: { clock: Clock; journal: Journal }) {}

  get pin(): Pin {
    return this.#pin;
  }

  /** Asks again at the next opportunity: something has changed. */
  expire(): void {
    this.#askedAt = -Infinity;
  }

  /** Asks, if it is time to. Never rejects. @param publicKey the node's own, as text */
  async look(
    client: MeshRegistry,
    { nodeId, publicKey }: { nodeId: string; publicKey: string },
    signal: AbortSignal,
  ): Promise<void> {
    const now = this.options.clock.now();
    if (Math.abs(now - this.#askedAt) < EVERY_MS) return;
    this.#askedAt = now;
    const answer = await client.nodeKey(nodeId, { signal });
    const key = answer.ok ? answer.value.key : undefined;
    if (answer.ok && answer.value.revoked?.includes(publicKey)) return this.#change('revoked');
    // The present state stays until the service says another one.
    if (key === null || typeof key === 'string')
      this.#change(key === null ? 'none' : key === publicKey ? 'this_key' : 'another_key');
  }

  #change(pin: Pin): void {
    const { journal } = this.options;
    const before = this.#pin;
    this.#pin = pin;
    if (pin === before) return;
    if (pin === 'this_key' && before === 'none')
      journal.info('pinned', 'The node is pinned to this key: nobody else can speak for it.');
    else if (pin === 'revoked')
      journal.warn(
        'revoked',
        'A reviewer has revoked this key: nothing that it signs is accepted for this node. Make a new one with "mesh-agent identity rotate", and prove the registrations again with "mesh-agent claim LINK", by the new links that the reviewers have.',
      );
    else if (pin === 'none' && before === 'this_key')
      journal.warn(
        'unpinned',
        'The node is no longer pinned to its key: the service was restored from a back-up, or a reviewer has reset it. Others with the secret could speak for it until a registration of it is accepted again; "mesh-agent register --list" shows what the service still has.',
      );
  }
}
