import type { KeyObject } from 'node:crypto';
import { nodeKeyFromText } from '@mesh-registry/protocol/keys/node-key.ts';

/** Keys in memory; making one again takes 5 µs. */
const MAX_KEYS = 10_000;

/** The public keys that signed lately, ready for use. */
export class PublicKeys {
  readonly #keys = new Map<string, KeyObject>();

  /** @returns null if the text is no key */
  get(text: string): KeyObject | null {
    const known = this.#keys.get(text);
    if (known) return known;
    const key = nodeKeyFromText(text);
    if (!key) return null;
    this.#keys.set(text, key);
    if (this.#keys.size > MAX_KEYS)
      for (const oldest of this.#keys.keys()) {
        this.#keys.delete(oldest);
        break;
      }
    return key;
  }
}
