import { existsSync } from 'node:fs';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import type { Head } from '@mesh-registry/protocol/log/chain.ts';

/** How old what is told of the log may be, milliseconds. */
const LOOK_MS = 1000;

/** A log that another process writes. Pages ask for it often, so it is looked at once a second at most. */
export class ObservedLog {
  #seen: { reader: BlockReader; at: number } | null = null;

  constructor(private readonly directory: string) {}

  /** Where it ends; null: there is none yet. @throws DamagedLogError */
  get head(): Head | null {
    if (!existsSync(this.directory)) return null;
    const now = performance.now();
    try {
      if (!this.#seen) this.#seen = { reader: BlockReader.open(this.directory), at: now };
      else if (now - this.#seen.at > LOOK_MS) {
        this.#seen.reader.refresh();
        this.#seen.at = now;
      }
      return this.#seen.reader.head;
    } catch (error) {
      this.#seen = null;
      throw error;
    }
  }
}
