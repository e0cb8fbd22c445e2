import {
  close,
  constants,
  fchmodSync,
  fdatasync,
  ftruncate,
  mkdirSync,
  openSync,
  renameSync,
  write,
  writev,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from '../durable-file.ts';
import type { Trust } from '../truth/trust.ts';
import type { BlockError } from './block.ts';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX } from './block.schema.ts';
import { isSigned } from './block-signatures.ts';
import { continuing, headOf, type GoodBlock } from './chain.ts';
import { dropFrom, mend, rewriteEnd, type MendOptions } from './mend.ts';
import {
  encodeEntries,
  ENTRY_BYTES,
  LENGTH_BYTES,
  Segment,
  SEGMENT_BYTES_MAX,
  type Entry,
} from './segment.ts';
import { StoredBlocks } from './stored-blocks.ts';

const disk = {
  close: promisify(close),
  sync: promisify(fdatasync),
  truncate: promisify(ftruncate),
  write: promisify(write),
  writev: promisify(writev),
};

/** The mode of the files, whatever the process's mask: what is in them is public. */
const READABLE = 0o644;

export interface BlockLogOptions {
  trust: Trust;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** See {@link MendOptions}. */
  onDamage?: MendOptions['onDamage'];
  /** Bytes of a segment, for tests. */
  segmentBytes?: number;
}

/**
 * The log of a network in a directory, to be appended to. One process at a time may have it open so: its caller sees to
 * that. Others read it with `BlockReader`.
 */
export class BlockLog extends StoredBlocks {
  /** How many bytes of a torn write, or of a damaged end, opening has removed. */
  readonly cut: number;
  readonly #options: Required<BlockLogOptions>;
  #files: Files | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  /** A write or a sync has failed: what is on disk is read anew before the next one. */
  #broken = false;

  private constructor(directory: string, options: Required<BlockLogOptions>) {
    super(directory);
    this.#options = options;
    this.cut = this.#load();
  }

  /** Reads what the directory has, and mends it. @returns how many bytes were cut */
  #load(onDamage = this.#options.onDamage): number {
    const { trust } = this.#options;
    const mended = mend(this.directory, { onDamage, isSigned: (block) => isSigned(block, trust) });
    this.segments = mended.segments;
    this.head = mended.head;
    return mended.cut;
  }

  /**
   * Opens the log of a directory, which is made if it is missing. What a crash has left is mended.
   * @throws DamagedLogError if blocks are gone and `onDamage` is `refuse`; what the file system throws
   */
  static open(
    directory: string,
    { trust, now = Date.now, onDamage = 'cut', segmentBytes = SEGMENT_BYTES_MAX }: BlockLogOptions,
  ): BlockLog {
    mkdirSync(directory, { recursive: true });
    return new BlockLog(directory, { trust, now, onDamage, segmentBytes });
  }

  /**
   * Appends the frames that continue the log, in their order, up to the first that does not. Each
   * `BATCH_BLOCKS_MAX` of `BATCH_BYTES_MAX` together are checked in one go, and written with one sync; their last one
   * has to be signed. Calls may overlap; they are done one after the other.
   * @returns how many were added, once they are on disk, and what is wrong with the next one. Blocks that the log had
   * already count as neither
   * @throws what the file system throws. The log then ends with what was on disk before; a full disk is tried again.
   * DamagedLogError if the disk has changed a block that is compared
   */
  append(frames: readonly Uint8Array[]): Promise<{ added: number; bad: BlockError | null }> {
    const done = this.#queue.then(() => this.#append(frames));
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /**
   * Puts another log in the place of this one, between two appends. Whoever is killed meanwhile finds this log, or none
   * and the other one still beside it.
   * @param other is closed, and its directory moved: beside this one
   * @param kept where the directory of this log is moved: a name that is free, beside it
   * @throws what the file system throws. The log is then as it was
   */
  replaceBy(other: BlockLog, kept: string): Promise<void> {
    const done = this.#queue.then(async () => {
      await other.close();
      await this.#closeFiles();
      renameSync(this.directory, kept);
      try {
        syncFolder(dirname(this.directory));
        renameSync(other.directory, this.directory);
      } catch (error) {
        renameSync(kept, this.directory);
        throw error;
      }
      syncFolder(dirname(this.directory));
      this.#broken = false;
      this.#load();
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /**
   * Removes a block that is damaged, and all after it, so that they can be fetched again. The log then ends with a block
   * that is signed.
   * @param height of the block
   * @throws what the file system throws
   */
  dropFrom(height: number): Promise<void> {
    const done = this.#queue.then(async () => {
      if (height > this.head.height) return;
      await this.#closeFiles();
      dropFrom(this.segments, height);
      this.#load('cut');
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Waits for what is being appended. */
  async close(): Promise<void> {
    await this.#queue;
    await this.#closeFiles();
  }

  async #append(frames: readonly Uint8Array[]) {
    let added = 0;
    for (const batch of batchesOf(frames)) {
      if (this.#broken) await this.#reopen();
      const { good, bad } = await continuing(batch, {
        head: this.head,
        idAt: (height) => this.#intactIdAt(height),
        trust: this.#options.trust,
        now: this.#options.now(),
      });
      for (let next = 0; next < good.length;) next += await this.#write(good.slice(next));
      added += good.length;
      if (bad) return { added, bad };
    }
    return { added, bad: null };
  }

  /** The id of a block, as the block itself has it too: a flipped bit of the index must not look like a fork. */
  #intactIdAt(height: number): string | null {
    this.frames(height, 1, 0);
    return this.idAt(height);
  }

  /** Writes as many blocks as go into one segment. @returns how many */
  async #write(good: readonly GoodBlock[]): Promise<number> {
    const { segment, blocks, index } = await this.#filesFor(good);
    const entries: Entry[] = [];
    const parts: Buffer[] = [];
    let end = segment.size;
    for (const { block, signed } of good) {
      const { id, frame } = block;
      const offset = end + LENGTH_BYTES;
      if (segment.count + entries.length > 0 && offset + frame.length > this.#options.segmentBytes)
        break;
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32BE(frame.length);
      parts.push(length, frame);
      entries.push({ offset, length: frame.length, signed, id });
      end = offset + frame.length;
    }
    try {
      await writeAll(blocks, parts, segment.size);
    } catch (error) {
      await disk.truncate(blocks, segment.size).catch(() => undefined);
      throw error;
    }
    try {
      await disk.sync(blocks);
      // The index is not synced: what a power cut takes of it is made anew from the blocks.
      await writeAll(index, [encodeEntries(entries)], segment.count * ENTRY_BYTES);
    } catch (error) {
      // What a failed sync has not written, the system shows as if it were on disk: it must not be there any more.
      this.#broken = true;
      await disk.truncate(blocks, segment.size).catch(() => undefined);
      throw error;
    }
    segment.count += entries.length;
    segment.size = end;
    const last = good[entries.length - 1];
    if (last) this.head = headOf(last.block);
    return entries.length;
  }

  /** Opens the files again after a failed write, and sees to it that what they have is on disk. */
  async #reopen(): Promise<void> {
    await this.#closeFiles().catch(() => undefined);
    const last = this.segments.at(-1);
    if (last) rewriteEnd(last);
    this.#load();
    this.#broken = false;
  }

  /** The files of the segment that the next blocks go to: all of them, if they can. */
  async #filesFor(good: readonly GoodBlock[]): Promise<Files> {
    const last = this.segments.at(-1);
    const bytes = good.reduce((sum, { block }) => sum + LENGTH_BYTES + block.frame.length, 0);
    if (last && (last.count === 0 || last.size + bytes <= this.#options.segmentBytes))
      return (this.#files ??= openFiles(last));
    await this.#closeFiles();
    const segment = new Segment(this.directory, this.head.height + 1);
    this.#files = openFiles(segment);
    // From here on a power cut does not take the new files away.
    syncFolder(this.directory);
    this.segments.push(segment);
    return this.#files;
  }

  async #closeFiles(): Promise<void> {
    const files = this.#files;
    this.#files = null;
    if (!files) return;
    try {
      await disk.sync(files.index);
    } finally {
      await Promise.all([disk.close(files.blocks), disk.close(files.index)]);
    }
  }
}

/** Frames in batches within the limits: others take no larger ones. */
function* batchesOf(frames: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  let start = 0;
  let bytes = 0;
  for (const [i, { byteLength }] of frames.entries()) {
    if (i > start && (i - start === BATCH_BLOCKS_MAX || bytes + byteLength > BATCH_BYTES_MAX)) {
      yield frames.slice(start, i);
      start = i;
      bytes = 0;
    }
    bytes += byteLength;
  }
  if (start < frames.length) yield frames.slice(start);
}

interface Files {
  segment: Segment;
  blocks: number;
  index: number;
}

/** Creates them if they are missing. */
function openFiles(segment: Segment): Files {
  const open = (file: string): number => {
    const fd = openSync(file, constants.O_RDWR | constants.O_CREAT);
    fchmodSync(fd, READABLE);
    return fd;
  };
  return { segment, blocks: open(segment.blocksFile), index: open(segment.indexFile) };
}

async function writeAll(fd: number, parts: readonly Buffer[], position: number): Promise<void> {
  const { bytesWritten } = await disk.writev(fd, parts, position);
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  if (bytesWritten === bytes) return;
  // A disk that is full takes a part; the next write then says why.
  const rest = Buffer.concat(parts).subarray(bytesWritten);
  for (let written = 0; written < rest.length;) {
    const at = position + bytesWritten + written;
    written += (await disk.write(fd, rest, written, rest.length - written, at)).bytesWritten;
  }
}
