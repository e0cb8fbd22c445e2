import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { block, chain, LATER, trustNow, withoutSignature } from '../../../test/support/blocks.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { decodeBlock } from './block.ts';
import { BATCH_BLOCKS_MAX, BATCH_BYTES_MAX, NO_BLOCK } from './block.schema.ts';
import { BlockLog, type BlockLogOptions } from './block-log.ts';
import { BlockReader } from './block-reader.ts';
import { DamagedLogError, ENTRY_BYTES } from './segment.ts';

const blocks = chain({ count: 40 });
const ids = [NO_BLOCK, ...blocks.map((frame) => decodeBlock(frame).id)];
const head = (height: number) => ({ height, id: ids[height] });

/** Small enough for a segment to have some five blocks. */
const segmentBytes = 3000;

function directory(): string {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return path;
}

const open = (path: string, options: Partial<BlockLogOptions> = {}) =>
  BlockLog.open(path, { trust: trustNow(), now: () => LATER, segmentBytes, ...options });

/** A directory with a log of some blocks. */
async function logOf(count: number): Promise<string> {
  const path = directory();
  const log = open(path);
  await log.append(blocks.slice(0, count));
  await log.close();
  return path;
}

/** The frames of a pack. */
function framesOf(pack: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < pack.length;) {
    const end = at + 4 + pack.readUInt32BE(at);
    frames.push(pack.subarray(at + 4, end));
    at = end;
  }
  return frames;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

const copyOf = (path: string): string => {
  const copy = directory();
  cpSync(path, copy, { recursive: true });
  return copy;
};

/** The last file of a kind. */
const lastFile = (path: string, kind: 'blocks' | 'index') =>
  join(
    path,
    readdirSync(path)
      .filter((name) => name.endsWith(kind))
      .sort()
      .at(-1) ?? '',
  );

/** Opens it, appends what is missing and reads all of it again. @returns how many blocks it had */
async function mended(path: string, options: Partial<BlockLogOptions> = {}): Promise<number> {
  const log = open(path, options);
  const { height } = log.head;
  expect(log.head).toMatchObject(head(height));
  expect((await log.append(blocks.slice(height))).bad).toBeNull();
  expect(log.frames(1, 100, 1e6)).toEqual(blocks);
  await log.close();
  return height;
}

test('a log keeps what is appended, in whatever parts and with whatever stops', async () => {
  const part = fc.tuple(fc.nat(40), fc.nat(12)).map(([from, count]) => ({ from, count }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(part), { maxLength: 20 }), async (steps) => {
      const path = directory();
      let log = open(path);
      const reader = BlockReader.open(path);
      let height = 0;
      for (const step of steps) {
        if (step === null) {
          await log.close();
          log = open(path);
          expect(log.cut).toBe(0);
        } else {
          const frames = blocks.slice(step.from, step.from + step.count);
          const gap = frames.length > 0 && step.from > height;
          const end = step.from + frames.length;
          const added = gap || frames.length === 0 ? 0 : Math.max(0, end - height);
          const result = await log.append(frames);
          expect([result.added, result.bad?.reason]).toEqual([added, gap ? 'height' : undefined]);
          height += added;
          expect(reader.refresh()).toBe(added > 0);
        }
        for (const { head: end } of [log, reader]) expect(end).toMatchObject(head(height));
      }
      for (const some of [log, reader]) {
        for (let at = 0; at <= height; at++) expect(some.idAt(at)).toBe(ids[at]);
        expect([some.idAt(height + 1), some.read(height + 1), some.read(0)]).toEqual([
          null,
          null,
          null,
        ]);
        expect(some.read(height)).toEqual(blocks[height - 1] ?? null);
        expect(some.frames(1, 100, 1e6)).toEqual(blocks.slice(0, height));
      }
      await log.close();
    }),
    { numRuns: rounds(15) },
  );
});

test('appends that overlap are done one after the other', async () => {
  const path = directory();
  const log = open(path);
  const results = await Promise.all([
    log.append(blocks.slice(0, 20)),
    log.append(blocks.slice(10, 30)),
    log.append(blocks.slice(30)),
  ]);
  expect(results.map(({ added }) => added)).toEqual([20, 10, 10]);
  await log.close();
  expect(await mended(path)).toBe(40);
});

describe('frames for others', () => {
  test('are at most as many, and as many bytes, as asked for, but one at least', async () => {
    const reader = BlockReader.open(await logOf(40));
    const size = blocks[11]?.length ?? 0;
    expect(reader.frames(12, 4, 1e6)).toEqual(blocks.slice(11, 15));
    expect(reader.frames(12, 100, 3 * size)).toEqual(blocks.slice(11, 14));
    expect(reader.frames(12, 100, 3 * size - 1)).toEqual(blocks.slice(11, 13));
    expect(reader.frames(12, 100, 1)).toEqual(blocks.slice(11, 12));
    expect(reader.frames(41, 100, 1e6)).toEqual([]);
    expect(reader.frames(12, 0, 1e6)).toEqual([]);
  });

  test('come in packs as well, of as many bytes as asked for, but one block at least', async () => {
    const reader = BlockReader.open(await logOf(40));
    const size = blocks[11]?.length ?? 0;
    for (const [packBytes, most] of [
      [3 * size, 3],
      [3 * size - 1, 2],
      [1, 1],
    ] as const) {
      const packs = [...reader.packs(12, 20, 1e6, packBytes)].map(framesOf);
      expect(packs.flat()).toEqual(blocks.slice(11, 31));
      expect(Math.max(...packs.map(({ length }) => length))).toBe(most);
    }
    expect([...reader.packs(12, 100, 3 * size, 1e6)].flatMap(framesOf)).toEqual(
      blocks.slice(11, 14),
    );
    expect([...reader.packs(41, 100, 1e6, 1e6)]).toEqual([]);
  });

  test('come in no more packs once the log is replaced: its files have other blocks', async () => {
    const path = directory();
    const [log, other] = [open(join(path, 'log')), open(join(path, 'other'))];
    await log.append(blocks);
    await other.append(chain({ count: 40, body: () => Buffer.from('another') }));
    const packs = log.packs(1, 40, 1e6, 1);
    expect(framesOf(packs.next().value as Buffer)).toEqual(blocks.slice(0, 1));
    await log.replaceBy(other, join(path, 'kept'));
    expect(() => packs.next()).toThrow('The log was replaced.');
    await log.close();
  });

  /** Blocks of which only the last has a signature of its own. */
  const unsigned = (from: number, to: number, of = blocks) =>
    of
      .slice(from, to)
      .map((frame, i, { length }) => (i < length - 1 ? withoutSignature(frame) : frame));

  test('end with a block whose signature was checked', async () => {
    const path = directory();
    const log = open(path);
    await log.append(unsigned(0, 10));
    await log.append(unsigned(10, 30));
    expect(log.frames(1, 100, 1e6)).toHaveLength(30);
    expect(log.frames(1, 29, 1e6)).toHaveLength(10);
    expect(log.frames(5, 29, 1e6)).toHaveLength(26);
    // It is the batch that ends so, and not each of its packs; if it has no such block, it has what there is.
    const sent = (from: number, most: number) =>
      [...log.packs(from, most, 1e6, 1000)].map((pack) => framesOf(pack).length);
    expect(sent(1, 29).length).toBeGreaterThan(1);
    expect(sum(sent(1, 29))).toBe(10);
    expect(sum(sent(11, 5))).toBe(5);
    expect(sent(31, 29)).toEqual([]);
    await log.close();
    // The same once it was opened again, with an index that a crash has lost.
    for (const name of readdirSync(path)) if (name.endsWith('.index')) rmSync(join(path, name));
    const opened = open(path);
    expect(opened.frames(1, 29, 1e6)).toHaveLength(10);
    await opened.close();
  });

  test('of others are taken in batches that every peer takes, each with a signed block at its end', async () => {
    const large = chain({ count: 40, body: () => Buffer.alloc(250_000) });
    const log = open(directory(), { segmentBytes: 64 * 1024 * 1024 });
    const { added, bad } = await log.append(unsigned(0, 40, large));
    expect([added, bad?.reason]).toEqual([0, 'signature']);
    expect(await log.append(unsigned(0, 16, large))).toEqual({ added: 16, bad: null });
    expect((await log.append(large.slice(16))).added).toBe(24);
    expect(log.frames(1, BATCH_BLOCKS_MAX, BATCH_BYTES_MAX)).toHaveLength(16);
    await log.close();
  });

  test('of a batch that a crash has torn do not stay without the block that answered for them', async () => {
    const path = directory();
    const log = open(path, { segmentBytes: 1e6 });
    await log.append(unsigned(0, 10));
    await log.append([...unsigned(10, 15), ...unsigned(15, 30)]);
    await log.close();
    const file = lastFile(path, 'blocks');
    truncateSync(file, readFileSync(file).length - 10);
    // With an index that is behind, and with one that is not.
    for (const entries of [10, 27]) {
      const copy = copyOf(path);
      truncateSync(lastFile(copy, 'index'), entries * ENTRY_BYTES);
      const registry = open(copyOf(copy), { onDamage: 'refuse' });
      expect(registry.head.height).toBe(29);
      await registry.close();
      const peer = open(copy);
      expect(peer.head).toMatchObject(head(15));
      expect(peer.frames(11, 100, 1e6)).toHaveLength(5);
      expect(await peer.append(blocks.slice(15))).toEqual({ added: 25, bad: null });
      await peer.close();
    }
  });
});

describe('after a crash', () => {
  test('a write that was cut anywhere is cut off', async () => {
    const path = await logOf(13);
    const [file, index] = [lastFile(path, 'blocks'), lastFile(path, 'index')];
    const inLast = readFileSync(index).length / ENTRY_BYTES;
    const [whole, entries] = [readFileSync(file), readFileSync(index)];
    expect(inLast).toBeGreaterThanOrEqual(3);
    const sizes = blocks.slice(11, 13).map((frame) => frame.length + 4);
    // The index is written only after the blocks are on disk.
    const bytes = sizes.reduce((sum, size) => sum + size);
    // In every byte at the ends of the two blocks and in the lengths before them, in every ninth elsewhere.
    const isEnd = (gone: number) => [0, sizes[1] ?? 0, bytes].some((at) => Math.abs(gone - at) < 8);
    for (let gone = 1; gone <= bytes; gone++) {
      if (!isEnd(gone) && gone % 9 > 0) continue;
      const lost = gone > (sizes[1] ?? 0) ? 2 : 1;
      writeFileSync(file, whole.subarray(0, -gone));
      writeFileSync(index, entries.subarray(0, -(gone % 5 ? lost : 2) * ENTRY_BYTES));
      const log = open(path, { onDamage: 'refuse' });
      expect(log.head).toMatchObject(head(13 - lost));
      const left = sizes.slice(-lost).reduce((sum, size) => sum + size) - gone;
      expect(log.cut).toBe(left);
      await log.close();
    }
    expect(await mended(path)).toBe(11);
  });

  test('an index that is behind, or gone, is made anew', async () => {
    const path = await logOf(40);
    for (const name of readdirSync(path).filter((one) => one.endsWith('.index'))) {
      const isLast = join(path, name) === lastFile(path, 'index');
      const index = readFileSync(join(path, name));
      const torn = Array.from({ length: index.length }, (_, i) => index.subarray(0, i));
      // What a power cut may leave of blocks of the disk that were never written.
      torn.push(
        Buffer.alloc(index.length),
        Buffer.concat([index.subarray(0, 50), Buffer.alloc(200)]),
      );
      // The last one, which is what a crash leaves torn, at many more places.
      const step = isLast ? 7 : 41;
      const whole = torn.length - (isLast ? ENTRY_BYTES : 3);
      for (const bytes of torn.filter((_, i) => i % step === 0 || i > whole)) {
        writeFileSync(join(path, name), bytes);
        const log = open(path, { onDamage: 'refuse' });
        expect([log.head.height, log.cut]).toEqual([40, 0]);
        await log.close();
        expect(readFileSync(join(path, name)).length).toBe(index.length);
      }
    }
    expect(await mended(path)).toBe(40);
  });

  test('what is after the last block and continues nothing is cut off', async () => {
    const path = await logOf(30);
    const file = lastFile(path, 'blocks');
    const other = block({ height: 31, prev: NO_BLOCK });
    const length = Buffer.alloc(4);
    length.writeUInt32BE(other.length);
    for (const tail of [
      Buffer.from('0000ffff'),
      Buffer.alloc(100),
      Buffer.concat([length, other]),
    ]) {
      appendFileSync(file, tail);
      const log = open(path, { onDamage: 'refuse' });
      expect([log.head.height, log.cut]).toEqual([30, tail.length]);
      await log.close();
    }
    expect(await mended(path)).toBe(30);
  });
});

describe('a log that has lost blocks', () => {
  /** Opens copies of a damaged log in both ways. @returns how many blocks are left */
  async function left(path: string): Promise<number> {
    expect(() => open(copyOf(path), { onDamage: 'refuse' })).toThrow(DamagedLogError);
    return mended(path);
  }

  test('goes on where it still is whole, or is refused', async () => {
    const whole = await logOf(40);
    const names = readdirSync(whole)
      .filter((name) => name.endsWith('.blocks'))
      .sort();
    expect(names.length).toBeGreaterThan(3);
    const [, second = ''] = names;
    const before = Number(second.slice(0, 12)) - 1;

    const shorter = copyOf(whole);
    truncateSync(lastFile(shorter, 'blocks'), 1000);
    expect(await left(shorter)).toBeLessThan(40);

    const without = copyOf(whole);
    rmSync(join(without, second));
    expect(await left(without)).toBe(before);
    const bare = copyOf(whole);
    rmSync(join(bare, second));
    rmSync(join(bare, second.replace('.blocks', '.index')));
    expect(await left(bare)).toBe(before);

    const cut = copyOf(whole);
    truncateSync(join(cut, second), 1000);
    expect(await left(cut)).toBe(before + 1);

    const changed = copyOf(whole);
    const file = lastFile(changed, 'blocks');
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] = 0;
    writeFileSync(file, bytes);
    expect(await left(changed)).toBe(39);
  });

  test('sends no block that the disk has changed, says which one it is, and takes it again', async () => {
    const whole = await logOf(40);
    const path = copyOf(whole);
    const log = open(path);
    const files = readdirSync(path).filter((name) => /blocks|index/.test(name));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), fc.nat(), fc.nat(7), async (name, at, bit) => {
        const bytes = readFileSync(join(path, name));
        const place = at % bytes.length;
        bytes[place] = bytes[place]! ^ (1 << bit);
        writeFileSync(join(path, name), bytes);
        const other = open(directory());
        const frames: Buffer[] = [];
        let damaged: unknown = null;
        try {
          for (const pack of log.packs(1, 100, 1e6, 1000)) frames.push(...framesOf(pack));
        } catch (error) {
          damaged = error;
        }
        const { added, bad } = await other.append(frames);
        // The rest of a batch that ends early is asked for again.
        if (damaged === null || bad?.reason !== 'signature')
          expect([added, bad]).toEqual([frames.length, null]);
        await other.close();
        if (damaged !== null) {
          expect(damaged).toBeInstanceOf(DamagedLogError);
          const height = (damaged as DamagedLogError).height ?? expect.fail('which block?');
          await log.dropFrom(height);
          expect(log.head.height).toBeLessThan(height);
          await log.append(blocks);
          expect(log.uncheckedFrames(1, 100, 1e6)).toEqual(blocks);
        }
        for (const file of files) cpSync(join(whole, file), join(path, file));
      }),
      { numRuns: 20 },
    );
    await log.close();
  });

  test('is not read as if it were whole', async () => {
    const path = await logOf(40);
    const reader = BlockReader.open(path);
    truncateSync(lastFile(path, 'blocks'), 100);
    expect(() => BlockReader.open(path)).toThrow(DamagedLogError);
    expect(() => reader.read(40)).toThrow(DamagedLogError);
    truncateSync(lastFile(path, 'index'), ENTRY_BYTES);
    expect(() => reader.refresh()).toThrow(DamagedLogError);
  });

  test('nor another one in its place as if it were the same', async () => {
    const path = directory();
    const log = open(path, { segmentBytes: 1e6 });
    await log.append(blocks.slice(0, 10));
    await log.close();
    const reader = BlockReader.open(path);
    const other = open(directory(), { segmentBytes: 1e6 });
    await other.append(chain({ count: 20, body: () => Buffer.alloc(50) }));
    await other.close();
    rmSync(path, { recursive: true });
    cpSync(other.directory, path, { recursive: true });
    expect(() => reader.refresh()).toThrow(DamagedLogError);
    expect(BlockReader.open(path).head).toEqual(other.head);
  });
});
