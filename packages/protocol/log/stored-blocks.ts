import { isIntact } from './block.ts';
import { FRAME_BYTES_MAX, NO_BLOCK } from './block.schema.ts';
import { NO_HEAD, type Head } from './chain.ts';
import {
  DamagedLogError,
  LENGTH_BYTES,
  sizeOf,
  split,
  type Entry,
  type Segment,
} from './segment.ts';

/** What the segments of a log have. */
export abstract class StoredBlocks {
  protected segments: Segment[] = [];
  #head: Head = NO_HEAD;

  protected constructor(readonly directory: string) {}

  /** Where the log ends. */
  get head(): Head {
    return this.#head;
  }

  protected set head(head: Head) {
    this.#head = head;
  }

  /** The frame of a block. @returns null if the log has none at this height */
  read(height: number): Buffer | null {
    const segment = this.#segmentOf(height);
    return segment?.frames(segment.entries(height, 1))[0] ?? null;
  }

  /** The id of a block; of "block 0" the zeros that the first one names. @returns null if the log has none there */
  idAt(height: number): string | null {
    if (height === 0) return NO_BLOCK;
    return this.#segmentOf(height)?.entries(height, 1)[0]?.id ?? null;
  }

  /**
   * Frames from a height on, to be sent to others: at least one if there is any. They end with one whose own signature
   * was checked, so that nobody who takes them has to ask for more to believe them.
   * @param maxBytes of all frames together; one frame may be larger
   * @throws DamagedLogError with the height of the first block that the disk has changed
   */
  frames(from: number, maxBlocks: number, maxBytes: number): Buffer[] {
    return this.#batch(from, maxBlocks, maxBytes).flatMap((part) =>
      split(intact(part), part.entries),
    );
  }

  /** The same frames as they are on disk, damaged or not: for who checks them. @throws DamagedLogError if there are fewer */
  uncheckedFrames(from: number, maxBlocks: number, maxBytes: number): Buffer[] {
    return this.#batch(from, maxBlocks, maxBytes).flatMap(({ segment, entries }) =>
      segment.frames(entries),
    );
  }

  /**
   * The same frames in packs, each behind its length (4 bytes, big endian), as the files have them. A pack is read once it
   * is its turn.
   * @param packBytes of the frames of a pack; one frame may be larger
   * @throws DamagedLogError with the height of the first block that the disk has changed, once those before are read; Error
   * if the log is replaced meanwhile: its files have other blocks now
   */
  *packs(
    from: number,
    maxBlocks: number,
    maxBytes: number,
    packBytes: number,
  ): Generator<Buffer, void> {
    for (const { segment, first, entries, signed } of this.#batch(from, maxBlocks, maxBytes))
      for (let start = 0; start < entries.length;) {
        const end = start + Math.max(1, countWithin(entries.slice(start), packBytes));
        if (!this.segments.includes(segment)) throw new Error('The log was replaced.');
        const some = entries.slice(start, end);
        yield intact({ segment, first: first + start, entries: some, signed });
        start = end;
      }
  }

  /** How many bytes the packs of the same frames have together. @throws DamagedLogError */
  packedBytes(from: number, maxBlocks: number, maxBytes: number): number {
    const entries = this.#batch(from, maxBlocks, maxBytes).flatMap((part) => part.entries);
    return entries.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0);
  }

  /**
   * The blocks of a batch from a height on, up to the last whose own signature was checked. Those of the blocks before
   * may be worthless, which only the one who gave us such blocks should answer for. As batches were appended within
   * `BATCH_BLOCKS_MAX` and `BATCH_BYTES_MAX`, there is such a block within these; if there is none, all within the limits.
   */
  #batch(from: number, maxBlocks: number, maxBytes: number): Part[] {
    const parts = this.#window(from, maxBlocks, maxBytes);
    const all = parts.flatMap((part) => part.entries);
    const signed = all.findLastIndex((entry) => entry.signed);
    let left = signed === -1 ? all.length : signed + 1;
    return parts.map((part) => {
      const entries = part.entries.slice(0, left);
      left -= entries.length;
      return { ...part, entries, signed: all[signed] };
    });
  }

  /** The entries from a height on, within limits. */
  #window(from: number, maxBlocks: number, maxBytes: number): Omit<Part, 'signed'>[] {
    const parts: Omit<Part, 'signed'>[] = [];
    let [height, bytes] = [from, 0];
    for (let full = false; !full;) {
      const segment = this.#segmentOf(height);
      const room = maxBlocks - (height - from);
      if (!segment || room <= 0) break;
      // As many as are likely to be sent: of large blocks that is a small part of the index.
      const likely = 1 + Math.max(0, ((maxBytes - bytes) * segment.count) / segment.size);
      const count = Math.min(room, Math.ceil(likely), segment.last - height + 1);
      const first = height;
      const all = segment.entries(first, count);
      const entries: Entry[] = [];
      for (const entry of all) {
        bytes += entry.length;
        full = bytes > maxBytes && height > from;
        if (full) break;
        entries.push(entry);
        height++;
      }
      parts.push({ segment, first, entries });
    }
    return parts;
  }

  #segmentOf(height: number): Segment | undefined {
    if (!Number.isSafeInteger(height) || height < 1) return undefined;
    return this.segments.findLast(({ first, last }) => first <= height && height <= last);
  }
}

/** Blocks of a segment. */
interface Part {
  segment: Segment;
  /** The height of the first one. */
  first: number;
  entries: Entry[];
  /** The block whose signature answers for all of its batch. */
  signed: Entry | undefined;
}

/** The bytes of some blocks as they are in the file. @throws DamagedLogError if one is not the block that the index names */
function intact({ segment, first, entries, signed }: Part): Buffer {
  const damaged = (i: number) =>
    new DamagedLogError(`Block ${first + i} in ${segment.blocksFile} is damaged.`, first + i);
  const size = sizeOf(segment.blocksFile);
  let end = (entries[0]?.offset ?? LENGTH_BYTES) - LENGTH_BYTES;
  for (const [i, { offset, length }] of entries.entries()) {
    // Before anything is read: a place of the index may name gigabytes.
    const isPlace = end >= 0 && offset === end + LENGTH_BYTES && length <= FRAME_BYTES_MAX;
    end = offset + length;
    if (!isPlace || end > size) throw damaged(i);
  }
  const bytes = segment.stored(entries);
  let start = 0;
  for (const [i, entry] of entries.entries()) {
    const at = start + LENGTH_BYTES;
    const frame = bytes.subarray(at, at + entry.length);
    if (bytes.readUInt32BE(start) !== entry.length || !isIntact(frame, entry.id, entry === signed))
      throw damaged(i);
    start = at + entry.length;
  }
  return bytes;
}

/** How many entries from the first one on have so many bytes together at most. */
function countWithin(entries: readonly Entry[], bytes: number): number {
  let sum = 0;
  const first = entries.findIndex(({ length }) => (sum += length) > bytes);
  return first === -1 ? entries.length : first;
}
