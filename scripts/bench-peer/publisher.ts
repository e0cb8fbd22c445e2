import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { writeDurable } from '@mesh-registry/protocol/durable-file.ts';
import { Trust, type TrustState } from '@mesh-registry/protocol/truth/trust.ts';
import type { Ban } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { chain } from '../../test/support/blocks.ts';
import { HOUR, iso, root, truth } from '../../test/support/network-truth.ts';

/** Who has the network's keys: writes the files that a Genesis host brings into the network. */
export class Publisher {
  readonly pinned: TrustState;
  readonly truthFile: string;
  readonly logDirectory: string;
  readonly #log: BlockLog;
  readonly #root;
  #version = 0;
  #last: Buffer | undefined;
  /** Blocks are some milliseconds younger. */
  readonly #startedAt = Date.now() - HOUR;

  constructor(directory: string) {
    this.#root = root(validity(1000));
    this.pinned = { roots: [this.#root], truth: null };
    this.truthFile = join(directory, 'truth.json');
    this.logDirectory = join(directory, 'log');
    this.#log = BlockLog.open(this.logDirectory, { trust: new Trust(this.#root) });
  }

  /** Signs the next truth. @returns its version */
  publishTruth(banned: readonly string[]): number {
    const bans = banned.map((peer): Ban => ({ peer, reason: 'bench', since: now(), until: null }));
    const version = ++this.#version;
    const document = truth({ ...validity(100), version, bans });
    writeDurable(this.truthFile, JSON.stringify({ roots: [this.#root], truth: document }));
    return version;
  }

  /**
   * Appends blocks to the log.
   * @param bytes of the body of each
   * @returns the height afterwards, and how many bytes the blocks have, with their signatures
   */
  async publishBlocks(count: number, bytes: number): Promise<{ height: number; bytes: number }> {
    const perBatch = Math.min(BATCH_BLOCKS_MAX, Math.floor(BATCH_BYTES_MAX / (bytes + 1024)));
    let written = 0;
    for (let left = count; left > 0; left -= perBatch) {
      const frames = chain({
        count: Math.min(left, perBatch),
        after: this.#last,
        body: () => randomBytes(bytes),
        start: this.#startedAt,
      });
      this.#last = frames.at(-1);
      written += Buffer.concat(frames).length;
      const { bad } = await this.#log.append(frames);
      if (bad) throw bad;
    }
    return { height: this.#log.head.height, bytes: written };
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

const now = () => iso(Date.now());
const validity = (hours: number) => ({
  issued: iso(Date.now() - HOUR),
  expires: iso(Date.now() + hours * HOUR),
});
