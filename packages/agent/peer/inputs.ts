import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer } from '@mesh-registry/peer/peer.ts';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import { CommandError } from '../base/exit.ts';
import type { PeerConfig } from '../config/load.ts';
import type { Journal } from '../run/journal.ts';
import { readTrustFile } from '../truth/files.ts';

/** How often the operator's own files are looked at, milliseconds. */
const LOOK_MS = 2000;

/** What a Genesis host brings into the network: the newest truth, and the log that its service writes. */
export class Inputs {
  #seenTruth = '';
  #reader: BlockReader | null = null;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #fault = '';

  constructor(
    private readonly peer: Peer,
    private readonly config: Pick<PeerConfig, 'truth_file' | 'log'>,
    private readonly journal: Journal,
  ) {}

  start(): void {
    if (this.config.truth_file === undefined && this.config.log === undefined) return;
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
    void this.look();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A fault is told once, and tried again. */
  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      this.#takeTruth();
      await this.#takeBlocks();
      this.#fault = '';
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#fault) this.journal.error('source', message);
      this.#fault = message;
    } finally {
      this.#looking = false;
    }
  }

  #takeTruth(): void {
    const file = this.config.truth_file;
    if (file === undefined) return;
    const version = versionOf(file);
    if (version === this.#seenTruth) return;
    const state = readTrustFile(file, 'peer.truth_file');
    this.#seenTruth = version;
    this.peer.takeTruth(state);
  }

  async #takeBlocks(): Promise<void> {
    const directory = this.config.log;
    if (directory === undefined) return;
    // Before the service has written its first block there is no directory.
    if (!this.#reader && versionOf(join(directory, '.')) === '') return;
    try {
      this.#reader ??= BlockReader.open(directory);
      this.#reader.refresh();
      await this.#compare(this.#reader);
      while (this.peer.log.head.height < this.#reader.head.height) {
        const next = this.peer.log.head.height + 1;
        await this.peer.takeBlocks(this.#reader.frames(next, BATCH_BLOCKS_MAX, BATCH_BYTES_MAX));
        if (this.peer.log.head.height < next)
          throw new CommandError(`peer.log: block ${next} of ${directory} cannot be read.`);
      }
    } catch (error) {
      // The files may be other ones by now: next time they are read from the beginning.
      this.#reader = null;
      throw error;
    }
  }

  /**
   * Compares the newest block that the service's log and the peer's both have: a log that was rewritten without growing
   * would show nowhere else. The peer gets the first block that is another one, so that it is told of once, however
   * the log goes on.
   * @throws BlockError
   */
  async #compare(reader: BlockReader): Promise<void> {
    const { log } = this.peer;
    const isOther = (height: number) => reader.idAt(height) !== log.idAt(height);
    let other = Math.min(reader.head.height, log.head.height);
    if (!isOther(other)) return;
    for (let same = 0; other - same > 1;) {
      const middle = Math.floor((same + other) / 2);
      if (isOther(middle)) other = middle;
      else same = middle;
    }
    await this.peer.takeBlocks(reader.frames(other, BATCH_BLOCKS_MAX, BATCH_BYTES_MAX));
  }
}

function versionOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : '';
}
