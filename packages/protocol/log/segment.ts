import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FRAME_BYTES_MAX } from './block.schema.ts';

/**
 * A part of the log on disk: two files, named by the height of the first block.
 *
 * `000000000001.blocks` has the frames one after the other, each behind its length (4 bytes, big endian). It is written
 * and synced first. `000000000001.index` has an entry of 44 bytes for each: where the frame begins (4 bytes), its length
 * (4), whether its own signature was checked (4: 1 or 0), its id (32). It can be made anew of the other.
 */

/** Bytes of frames, with their lengths, before the next segment begins. */
export const SEGMENT_BYTES_MAX = 64 * 1024 * 1024;
export const ENTRY_BYTES = 44;
export const LENGTH_BYTES = 4;

/** What the index says of a block. */
export interface Entry {
  /** Of the frame in its file, bytes. */
  offset: number;
  length: number;
  signed: boolean;
  /** Hex. */
  id: string;
}

/** The log on disk is not as it was written. */
export class DamagedLogError extends Error {
  override readonly name = 'DamagedLogError';
  /** @param height of the first block that is damaged; null: not known */
  constructor(
    message: string,
    readonly height: number | null = null,
  ) {
    super(message);
  }
}

export function encodeEntries(entries: readonly Entry[]): Buffer {
  const bytes = Buffer.alloc(entries.length * ENTRY_BYTES);
  for (const [i, { offset, length, signed, id }] of entries.entries()) {
    const at = i * ENTRY_BYTES;
    bytes.writeUInt32BE(offset, at);
    bytes.writeUInt32BE(length, at + 4);
    bytes.writeUInt32BE(signed ? 1 : 0, at + 8);
    bytes.write(id, at + 12, 'hex');
  }
  return bytes;
}

function decodeEntry(bytes: Buffer, i: number): Entry {
  const at = i * ENTRY_BYTES;
  return {
    offset: bytes.readUInt32BE(at),
    length: bytes.readUInt32BE(at + 4),
    signed: bytes.readUInt32BE(at + 8) === 1,
    id: bytes.toString('hex', at + 12, at + ENTRY_BYTES),
  };
}

/** The entries whose frames follow one another from a place on; the bytes after them are left out. */
export function decodeEntries(bytes: Buffer, end = 0): Entry[] {
  const entries: Entry[] = [];
  for (let i = 0; (i + 1) * ENTRY_BYTES <= bytes.length; i++) {
    const entry = decodeEntry(bytes, i);
    if (entry.offset !== end + LENGTH_BYTES || entry.length > FRAME_BYTES_MAX) break;
    end = entry.offset + entry.length;
    entries.push(entry);
  }
  return entries;
}

export class Segment {
  readonly blocksFile: string;
  readonly indexFile: string;
  /** How many blocks it has. */
  count = 0;
  /** Bytes of their frames, with their lengths. */
  size = 0;

  /** @param first the height of its first block */
  constructor(
    directory: string,
    readonly first: number,
  ) {
    const name = join(directory, String(first).padStart(12, '0'));
    this.blocksFile = `${name}.blocks`;
    this.indexFile = `${name}.index`;
  }

  /** The height of its last block, or of the block before it. */
  get last(): number {
    return this.first + this.count - 1;
  }

  /** The height of the first block in a file of a segment. @returns null if its name is of something else */
  static firstOf(file: string): number | null {
    const first = /^(\d{12})\.(blocks|index)$/.exec(file)?.[1];
    return first === undefined ? null : Number(first);
  }

  /** Sets how far the segment goes from its entries. */
  take(entries: readonly Entry[]): void {
    const last = entries.at(-1);
    this.count = entries.length;
    this.size = last ? last.offset + last.length : 0;
  }

  /**
   * Reads how far a segment goes that another one follows, without reading all of its index.
   * @returns false if its files do not fit together
   */
  loadEnd(): boolean {
    const bytes = sizeOf(this.indexFile);
    const last = bytes > 0 && bytes % ENTRY_BYTES === 0 ? bytes / ENTRY_BYTES - 1 : -1;
    if (last < 0) return false;
    const entry = decodeEntry(readRange(this.indexFile, last * ENTRY_BYTES, ENTRY_BYTES), 0);
    this.count = last + 1;
    this.size = entry.offset + entry.length;
    return this.size === sizeOf(this.blocksFile);
  }

  /** All of its index, as far as its entries follow one another. */
  readIndex(): Entry[] {
    return sizeOf(this.indexFile) > 0 ? decodeEntries(readFileSync(this.indexFile)) : [];
  }

  /** Some entries of the index. @param height of the first one @throws DamagedLogError */
  entries(height: number, count: number): Entry[] {
    const bytes = readRange(
      this.indexFile,
      (height - this.first) * ENTRY_BYTES,
      count * ENTRY_BYTES,
    );
    return Array.from({ length: count }, (_, i) => decodeEntry(bytes, i));
  }

  /** The frames of entries that follow one another. @throws DamagedLogError */
  frames(entries: readonly Entry[]): Buffer[] {
    return split(this.stored(entries), entries);
  }

  /** The same, each behind its length, as they are in the file. @throws DamagedLogError */
  stored(entries: readonly Entry[]): Buffer {
    const [first] = entries;
    const last = entries.at(-1);
    if (!first || !last) return Buffer.alloc(0);
    const start = first.offset - LENGTH_BYTES;
    return readRange(this.blocksFile, start, last.offset + last.length - start);
  }
}

/** The frames in the bytes of entries, which have each its length before it. */
export function split(bytes: Buffer, entries: readonly Entry[]): Buffer[] {
  let end = 0;
  return entries.map(({ length }) => {
    const start = end + LENGTH_BYTES;
    end = start + length;
    return bytes.subarray(start, end);
  });
}

/** 0 for a file that is missing. */
export const sizeOf = (file: string): number =>
  statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** @throws DamagedLogError if the file is shorter */
export function readRange(file: string, position: number, length: number): Buffer {
  const fd = openSync(file, 'r');
  try {
    // Before memory is taken: a flipped bit of the index may ask for gigabytes.
    if (position < 0 || position + length > fstatSync(fd).size)
      throw new DamagedLogError(`${file} ends too early.`);
    const bytes = Buffer.allocUnsafe(length);
    let read = 0;
    while (read < length) {
      const count = readSync(fd, bytes, read, length - read, position + read);
      if (count === 0) throw new DamagedLogError(`${file} ends too early.`);
      read += count;
    }
    return bytes;
  } finally {
    closeSync(fd);
  }
}
