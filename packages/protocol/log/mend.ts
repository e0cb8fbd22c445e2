import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { BlockError, decodeBlock, hasOwnBody, type Block } from './block.ts';
import { FRAME_BYTES_MAX } from './block.schema.ts';
import { listSegments } from './block-reader.ts';
import { headOf, NO_HEAD, type Head } from './chain.ts';
import {
  DamagedLogError,
  encodeEntries,
  ENTRY_BYTES,
  LENGTH_BYTES,
  readRange,
  sizeOf,
  type Entry,
  type Segment,
} from './segment.ts';

export interface MendOptions {
  /**
   * What to do if blocks are gone that were on disk once: `cut` keeps the log up to there, for whoever can fetch them
   * again; `refuse` throws. With `cut` the log ends with a block that is signed: of a torn batch the rest may be blocks
   * that only the lost one answered for.
   */
  onDamage: 'cut' | 'refuse';
  /** Whether enough keys have signed a block. */
  isSigned: (block: Block) => boolean;
}

/**
 * Brings a log on disk into order after a crash: a torn end of the last write is cut off, an index that is missing or
 * behind is written anew. Only the last segment is looked at closely.
 * @returns the segments, and how many bytes were cut
 * @throws DamagedLogError
 */
export function mend(
  directory: string,
  { onDamage, isSigned }: MendOptions,
): { segments: Segment[]; cut: number; head: Head } {
  const listed = listSegments(directory);
  const segments: Segment[] = [];
  let cut = 0;
  const requireWhole = (height: number) => {
    if (onDamage === 'refuse')
      throw new DamagedLogError(
        `The log in ${directory} is damaged: block ${height} is missing or changed.`,
      );
  };
  for (const [i, segment] of listed.entries()) {
    const next = listed[i + 1];
    const before = segments.at(-1)?.last ?? 0;
    if (segment.first !== before + 1) {
      requireWhole(before + 1);
      cut += drop(listed.slice(i));
      break;
    }
    if (next && segment.loadEnd() && segment.last === next.first - 1) {
      segments.push(segment);
      continue;
    }
    const mended = mendSegment(segment, endOf(segments), isSigned);
    if (onDamage === 'cut' && !next) endSigned(segment, mended, isSigned);
    const damaged = mended.damaged || (next && segment.last !== next.first - 1);
    if (damaged) requireWhole(segment.last + 1);
    write(segment, mended);
    cut += mended.cut;
    if (segment.count > 0) segments.push(segment);
    else drop([segment]);
    if (damaged) {
      cut += drop(listed.slice(i + 1));
      break;
    }
  }
  return { segments, cut, head: endOf(segments) };
}

/** The head of some segments, read from disk. @throws DamagedLogError */
function endOf(segments: readonly Segment[]): Head {
  const last = segments.at(-1);
  if (!last) return NO_HEAD;
  const [frame] = last.frames(last.entries(last.last, 1));
  const block = frame ? decode(frame) : null;
  if (!block) throw new DamagedLogError(`Block ${last.last} in ${last.blocksFile} is damaged.`);
  return headOf(block);
}

/** What has to be done with the files of a segment. */
interface Mending {
  /** What the index shall have. */
  entries: Entry[];
  /** How many of these it has already. */
  kept: number;
  /** Bytes after the last whole block. */
  cut: number;
  /** The index has blocks that the other file has not. */
  damaged: boolean;
}

/** Looks at a segment, which then tells what it has. Nothing is written. */
function mendSegment(segment: Segment, before: Head, isSigned: MendOptions['isSigned']): Mending {
  const entries = segment.readIndex();
  const indexed = entries.length;
  const size = sizeOf(segment.blocksFile);
  let last: Block | null = null;
  while (entries.length > 0 && !last) {
    last = readEntry(segment, entries.at(-1), size);
    if (!last) entries.pop();
  }
  const kept = entries.length;
  segment.take(entries);
  let head = last ? headOf(last) : before;
  for (let block; (block = readNext(segment, size, head)); head = headOf(block)) {
    const { id, frame } = block;
    const offset = segment.size + LENGTH_BYTES;
    entries.push({ offset, length: frame.length, signed: isSigned(block), id });
    segment.count++;
    segment.size = offset + frame.length;
  }
  return {
    entries,
    kept,
    cut: size - segment.size,
    damaged: entries.length < indexed,
  };
}

/** Drops the blocks after the last one that is signed. */
function endSigned(segment: Segment, mending: Mending, isSigned: MendOptions['isSigned']): void {
  const { entries } = mending;
  const before = segment.size;
  for (let last; (last = entries.at(-1)) && !last.signed;) {
    const block = readEntry(segment, last, before);
    last.signed = block !== null && isSigned(block);
    if (!last.signed) entries.pop();
    // Its entry is written again, as that of a block whose signature was checked.
    mending.kept = Math.min(mending.kept, entries.length - (last.signed ? 1 : 0));
  }
  segment.take(entries);
  mending.cut += before - segment.size;
}

/** The block of an entry of the index, if it is the one that the file has. */
function readEntry(segment: Segment, entry: Entry | undefined, size: number): Block | null {
  if (!entry || entry.offset + entry.length > size) return null;
  const block = decode(readRange(segment.blocksFile, entry.offset, entry.length));
  return block?.id === entry.id ? block : null;
}

/** The next block in the file, if it is whole and continues the chain. */
function readNext({ blocksFile, size: end }: Segment, size: number, head: Head): Block | null {
  if (end + LENGTH_BYTES > size) return null;
  const length = readRange(blocksFile, end, LENGTH_BYTES).readUInt32BE(0);
  if (length > FRAME_BYTES_MAX || end + LENGTH_BYTES + length > size) return null;
  const block = decode(readRange(blocksFile, end + LENGTH_BYTES, length));
  const { height, prev } = block?.header ?? {};
  return height === head.height + 1 && prev === head.id ? block : null;
}

/** @returns null if it is no block, or not a whole one */
function decode(frame: Buffer): Block | null {
  try {
    const block = decodeBlock(frame);
    return hasOwnBody(block) ? block : null;
  } catch (error) {
    if (error instanceof BlockError) return null;
    throw error;
  }
}

/**
 * Removes the blocks of a log from a height on, the last ones first. What is left may end with a block that is not signed.
 * @throws what the file system throws
 */
export function dropFrom(segments: readonly Segment[], height: number): void {
  drop(segments.filter(({ first }) => first >= height));
  const segment = segments.find(({ first, last }) => first < height && height <= last);
  if (!segment) return;
  const entries = segment.readIndex().slice(0, height - segment.first);
  segment.take(entries);
  truncateSync(segment.indexFile, entries.length * ENTRY_BYTES);
  truncateSync(segment.blocksFile, segment.size);
}

/** Of a disk's pages, bytes: no smaller part of a file is written. */
const PAGE_BYTES = 4096;

/**
 * Cuts off what is after the last block of a segment, and writes its last page again: what was there before was part of
 * the write that failed, and the system may take it for written.
 * @throws what the file system throws
 */
export function rewriteEnd({ blocksFile, size }: Segment): void {
  const fd = openSync(blocksFile, 'r+');
  try {
    ftruncateSync(fd, size);
    const start = size - (size % PAGE_BYTES);
    writeSync(fd, readRange(blocksFile, start, size - start), 0, size - start, start);
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The index first: it must never have more than the blocks' file. */
function write(segment: Segment, { entries, kept, cut }: Mending): void {
  const found = entries.slice(kept);
  if (found.length > 0) syncFile(segment.blocksFile);
  if (found.length > 0 || sizeOf(segment.indexFile) !== kept * ENTRY_BYTES) {
    const fd = openSync(segment.indexFile, 'a');
    try {
      ftruncateSync(fd, kept * ENTRY_BYTES);
      writeSync(fd, encodeEntries(found));
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }
  if (cut > 0) truncateSync(segment.blocksFile, segment.size);
}

/** Whoever was killed before its sync has left what only the system has. */
function syncFile(file: string): void {
  const fd = openSync(file, 'r+');
  try {
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Removes segments. @returns how many bytes of blocks they had */
function drop(segments: readonly Segment[]): number {
  let bytes = 0;
  for (const { blocksFile, indexFile } of segments.toReversed()) {
    bytes += sizeOf(blocksFile);
    rmSync(blocksFile, { force: true });
    rmSync(indexFile, { force: true });
  }
  return bytes;
}
