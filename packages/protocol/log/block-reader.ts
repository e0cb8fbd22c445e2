import { readdirSync } from 'node:fs';
import { decodeBlock } from './block.ts';
import { headOf } from './chain.ts';
import {
  DamagedLogError,
  decodeEntries,
  ENTRY_BYTES,
  readRange,
  Segment,
  sizeOf,
} from './segment.ts';
import { StoredBlocks } from './stored-blocks.ts';

/** The segments in a directory, in order. They are not read yet. */
export function listSegments(directory: string): Segment[] {
  const firsts = readdirSync(directory)
    .map((file) => Segment.firstOf(file))
    .filter((first) => first !== null);
  return [...new Set(firsts)].sort((a, b) => a - b).map((first) => new Segment(directory, first));
}

/**
 * Reads a log. Another process may be appending to it meanwhile: it is the index that says how far the log goes, and
 * what the index has is on disk and stays as it is.
 */
export class BlockReader extends StoredBlocks {
  private constructor(directory: string) {
    super(directory);
  }

  /** @throws DamagedLogError if files are missing or too short; what the file system throws */
  static open(directory: string): BlockReader {
    const reader = new BlockReader(directory);
    reader.refresh();
    return reader;
  }

  /** Looks for blocks that another process has appended. @returns whether there are any @throws DamagedLogError */
  refresh(): boolean {
    const before = this.head.height;
    const known = new Map(this.segments.map((segment) => [segment.first, segment]));
    const segments = listSegments(this.directory).map(
      (segment) => known.get(segment.first) ?? segment,
    );
    let height = 0;
    for (const [i, segment] of segments.entries()) {
      if (segment.first !== height + 1)
        throw new DamagedLogError(`Block ${height + 1} is missing in ${this.directory}.`);
      const complete = i < segments.length - 1;
      if (complete && !segment.loadEnd())
        throw new DamagedLogError(`${segment.indexFile} does not fit to its blocks.`);
      if (!complete) followIndex(segment);
      height = segment.last;
    }
    this.segments = segments;
    const frame = height === before ? null : this.read(height);
    if (frame) this.head = headOf(decodeBlock(frame));
    return height > before;
  }
}

/** Takes what the index of the last segment has got since it was read. */
function followIndex(segment: Segment): void {
  const start = segment.count * ENTRY_BYTES;
  const length = sizeOf(segment.indexFile) - start;
  if (length < 0) throw new DamagedLogError(`${segment.indexFile} is shorter than before.`);
  if (length < ENTRY_BYTES) return;
  const added = decodeEntries(readRange(segment.indexFile, start, length), segment.size);
  const last = added.at(-1);
  if (!last)
    throw new DamagedLogError(`${segment.indexFile} does not continue what it was before.`);
  if (last.offset + last.length > sizeOf(segment.blocksFile))
    throw new DamagedLogError(`${segment.blocksFile} ends too early.`);
  segment.count += added.length;
  segment.size = last.offset + last.length;
}
