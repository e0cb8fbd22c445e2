import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  block,
  chain,
  frameOf,
  LATER,
  trustNow,
  withoutSignature,
} from '../../../test/support/blocks.ts';
import {
  aRoot,
  HOUR,
  iso,
  keys,
  role,
  root,
  START,
  truth,
} from '../../../test/support/network-truth.ts';
import { Trust } from '../truth/trust.ts';
import { decodeBlock } from './block.ts';
import {
  BATCH_BLOCKS_MAX,
  BLOCK_SIGNATURES_MAX,
  BODY_BYTES_MAX,
  NO_BLOCK,
} from './block.schema.ts';
import { continuing, headOf, NO_HEAD } from './chain.ts';

const strangers = keys(1);

/** What a log that has some blocks makes of others: how many are good, and what is wrong with the next one. */
async function taken(
  frames: readonly Uint8Array[],
  had: readonly Buffer[] = [],
  trust = trustNow(),
) {
  const { good, bad } = await continued(frames, had, trust);
  return [good.length, bad?.reason ?? null];
}

function continued(frames: readonly Uint8Array[], had: readonly Buffer[], trust: Trust) {
  const blocks = had.map(decodeBlock);
  const last = blocks.at(-1);
  return continuing(frames, {
    head: last ? headOf(last) : NO_HEAD,
    idAt: (height) => blocks[height - 1]?.id ?? null,
    trust,
    now: LATER,
  });
}

/** Counts the turns of the event loop from now on. */
function countTurns(): () => number {
  let turns = 0;
  const next = () => {
    turns++;
    timer = setImmediate(next);
  };
  let timer = setImmediate(next);
  return () => {
    clearImmediate(timer);
    return turns;
  };
}

const first10 = chain({ count: 10 });
const [first = block()] = first10;

describe('blocks continue a log', () => {
  test('one after the other, from the first or from where it ends', async () => {
    expect(await taken(first10)).toEqual([10, null]);
    expect(await taken(first10.slice(4), first10.slice(0, 4))).toEqual([6, null]);
    expect(await taken([])).toEqual([0, null]);
  });

  test('and those that it has already are passed over', async () => {
    expect(await taken(first10, first10.slice(0, 4))).toEqual([6, null]);
    expect(await taken(first10, first10)).toEqual([0, null]);
  });

  test('up to the first that does not', async () => {
    const changed = (i: number, by: Buffer) => first10.with(i, by);
    const at = decodeBlock(first10[5] ?? first).header;
    expect(await taken(first10.toSpliced(5, 1))).toEqual([5, 'height']);
    expect(await taken(first10.slice(1))).toEqual([0, 'height']);
    expect(await taken(changed(5, Buffer.from('what')))).toEqual([5, 'malformed']);
    const other = { height: 6, prev: at.prev, time: at.time };
    expect(await taken(changed(5, block({ ...other, network: 'other.example.org' })))).toEqual([
      5,
      'network',
    ]);
    expect(await taken(changed(5, block({ ...other, prev: NO_BLOCK }, strangers)))).toEqual([
      5,
      'link',
    ]);
    expect(await taken(changed(5, block({ ...other, time: iso(START) })))).toEqual([5, 'time']);
    expect(await taken(changed(5, block({ ...other, time: iso(LATER + HOUR) })))).toEqual([
      5,
      'time',
    ]);
    const body = Buffer.from(first10[5] ?? first);
    body[body.length - 1] = 0;
    expect(await taken(changed(5, body))).toEqual([5, 'body']);
    expect(await taken(changed(5, body.subarray(0, -1)))).toEqual([5, 'body']);
  });
});

describe('signatures', () => {
  test('of the last block are ones of all blocks before', async () => {
    const unsigned = first10.map(withoutSignature);
    expect(await taken(unsigned.with(9, first10[9] ?? first))).toEqual([10, null]);
    expect(await taken(unsigned)).toEqual([0, 'signature']);
  });

  test('that the last block lacks are not looked for in others, except in the one that the truth names', async () => {
    const unsigned = (...which: number[]) =>
      first10.map((frame, i) => (which.includes(i) ? withoutSignature(frame) : frame));
    expect(await taken(unsigned(2, 7))).toEqual([10, null]);
    expect(await taken(unsigned(9))).toEqual([0, 'signature']);
    expect(await taken(unsigned(7, 8).with(9, Buffer.from('what')))).toEqual([0, 'signature']);
    const trust = trustNow();
    trust.takeTruth(truth({ log: { height: 7, id: decodeBlock(first10[6] ?? first).id } }));
    expect(await taken(unsigned(9), [], trust)).toEqual([7, 'signature']);
    expect(await taken(unsigned(6, 9), [], trust)).toEqual([0, 'signature']);
  });

  test('of a batch are checked as often as one block can have some, in turns with other work', async () => {
    const eight = keys(BLOCK_SIGNATURES_MAX);
    const trust = new Trust(
      root({ roles: { ...aRoot().roles, block: role(eight, 1) } }),
      () => LATER,
    );
    const forged = chain({
      count: BATCH_BLOCKS_MAX,
      body: () => Buffer.from('forged'),
      by: eight,
    }).map(withoutSignature);
    const named = decodeBlock(forged[511] ?? first);
    trust.takeTruth(truth({ log: { height: 512, id: named.id } }));
    const count = vi.spyOn(crypto, 'verify');
    syncBuiltinESMExports();
    onTestFinished(() => {
      count.mockRestore();
      syncBuiltinESMExports();
    });
    for (const [frames, had, expected] of [
      [forged, [], [0, 'signature']],
      // Nothing before them, or another block.
      [forged.slice(1), first10.slice(0, 1), [0, 'link']],
      [forged, first10.slice(0, 1), [0, 'signature']],
    ] as const) {
      count.mockClear();
      const turns = countTurns();
      expect(await taken(frames, had, trust)).toEqual(expected);
      expect(count).toHaveBeenCalledTimes(BLOCK_SIGNATURES_MAX);
      expect(turns()).toBeGreaterThanOrEqual(frames.length / 16 - 1);
    }
    // As many bytes as a batch can have.
    const large = chain({ count: 16, body: () => Buffer.alloc(BODY_BYTES_MAX - 1024) });
    const turns = countTurns();
    expect(await taken(large)).toEqual([16, null]);
    expect(turns()).toBeGreaterThanOrEqual(15);
  });

  test('count from the keys of the role, as many as it asks for, each once', async () => {
    const [one, two] = [keys(1), keys(1)];
    const roles = { ...aRoot().roles, block: role([...one, ...two], 2) };
    const trust = new Trust(root({ roles }), () => LATER);
    const by = (signers: typeof one) => taken([block({}, signers)], [], trust);
    expect(await by([...one, ...two])).toEqual([1, null]);
    expect(await by([...one, ...one])).toEqual([0, 'signature']);
    expect(await by([...one, ...strangers])).toEqual([0, 'signature']);
    expect(await taken([block({}, strangers)])).toEqual([0, 'signature']);
  });

  test('are looked at once for each key, however many a block has: each takes time', async () => {
    const signed = decodeBlock(first);
    const signatures = [...decodeBlock(withoutSignature(first)).envelope.signatures];
    signatures.push(...signed.envelope.signatures);
    const frame = frameOf({ ...signed.envelope, signatures }, signed.body);
    expect(await taken([frame])).toEqual([0, 'signature']);
  });

  test('of keys that a newer root no longer names count up to the block that the truth names', async () => {
    const trust = trustNow();
    const roles = { ...aRoot().roles, block: role(strangers, 1) };
    trust.takeRoot(root({ version: 2, roles }));
    expect(await taken(first10, [], trust)).toEqual([0, 'signature']);
    const { id } = decodeBlock(first10[6] ?? first);
    trust.takeTruth(truth({ log: { height: 7, id } }));
    expect(await taken(first10, [], trust)).toEqual([7, 'signature']);
    const more = chain({ count: 3, after: first10[6], by: strangers });
    expect(await taken([...first10.slice(0, 7), ...more], [], trust)).toEqual([10, null]);
  });
});

describe('a rewritten history', () => {
  const rewritten = (from: number, count = 3) =>
    chain({
      count,
      after: first10[from - 2],
      body: (height) => Buffer.from(`never happened ${height}`),
    });

  test('is a fork for whoever has the blocks before', async () => {
    for (const from of [1, 5, 10])
      expect(await taken(rewritten(from), first10), `${from}`).toEqual([0, 'fork']);
    // The log ends before the block that is another one, or just there.
    expect(await taken(rewritten(10), first10.slice(0, 9))).toEqual([3, null]);
    expect(await taken(rewritten(9).slice(1), first10.slice(0, 9))).toEqual([0, 'fork']);
    expect(await taken([...first10.slice(0, 9), ...rewritten(9).slice(1)])).toEqual([9, 'fork']);
  });

  test('that is not signed is only a bad block', async () => {
    const forged = rewritten(5).map(withoutSignature);
    expect(await taken(forged, first10)).toEqual([0, 'signature']);
    expect(await taken(rewritten(9).slice(1).map(withoutSignature), first10.slice(0, 9))).toEqual([
      0,
      'link',
    ]);
  });

  test('that is signed only at the end of a batch is one all the same, with the signed block as its proof', async () => {
    const batch = rewritten(5, 4).map((frame, i) => (i < 3 ? withoutSignature(frame) : frame));
    const judge = async (frames: readonly Uint8Array[], had: readonly Buffer[]) => {
      const blocks = had.map(decodeBlock);
      const { good, bad } = await continuing(frames, {
        head: headOf(blocks.at(-1)!),
        idAt: (height) => blocks[height - 1]?.id ?? null,
        trust: trustNow(),
        now: LATER,
      });
      return [good.length, bad?.reason, bad?.block?.header.height];
    };
    // Where the log has other blocks, and where it ends before them.
    for (const i of [0, 1, 2]) expect(await judge(batch.slice(i), first10)).toEqual([0, 'fork', 8]);
    for (const i of [1, 2])
      expect(await judge(batch.slice(i), first10.slice(0, 4 + i))).toEqual([0, 'fork', 8]);
    // The signed block does not commit to those before it: another one, a gap, another network, no block.
    const last = decodeBlock(batch[3]!);
    const { height, prev, time } = last.header;
    for (const end of [
      [first10[7]!],
      [block({ height: 9, prev, time })],
      [block({ height, prev, time, network: 'other.example.org' })],
      [Buffer.from('what'), batch[3]!],
      [batch[3]!].map(withoutSignature),
    ]) {
      const frames = [...batch.slice(0, 3), ...end];
      expect(await judge(frames, first10)).toEqual([0, 'signature', 5]);
      expect(await judge(frames.slice(1), first10.slice(0, 5))).toEqual([0, 'link', 6]);
    }
  });

  /** The reason, and the height of the block that answers for what is wrong. */
  async function judged(frames: readonly Uint8Array[], had: readonly Buffer[], trust: Trust) {
    const { good, bad } = await continued(frames, had, trust);
    return [good.length, bad?.reason, bad?.block?.header.height];
  }

  const signedAtItsEnd = (frames: readonly Buffer[]) =>
    frames.map((frame, i) => (i < frames.length - 1 ? withoutSignature(frame) : frame));

  test('that passes the block that the truth names in the middle of a batch has the signed end as its proof', async () => {
    const trust = trustNow();
    trust.takeTruth(truth({ log: { height: 6, id: decodeBlock(first10[5] ?? first).id } }));
    const batch = signedAtItsEnd([...first10.slice(0, 4), ...rewritten(5, 4)]);
    expect(await judged(batch, [], trust)).toEqual([0, 'checkpoint', 8]);
    expect(await judged(batch.slice(4), first10.slice(0, 4), trust)).toEqual([0, 'checkpoint', 8]);
    // Nobody answers for it.
    const forged = batch.map(withoutSignature);
    expect(await judged(forged, [], trust)).toEqual([0, 'checkpoint', 6]);
    expect(await judged([...batch.slice(0, 7), first10[7]!], [], trust)).toEqual([
      0,
      'checkpoint',
      6,
    ]);
  });

  test('or batch that keys of an earlier root have signed at its end names that block: it was valid once', async () => {
    const trust = trustNow();
    const roles = { ...aRoot().roles, block: role(strangers, 1) };
    trust.takeRoot(root({ version: 2, roles }));
    trust.takeTruth(truth({ log: { height: 6, id: decodeBlock(first10[5] ?? first).id } }));
    const had = first10.slice(0, 6);
    // It continues the log, is another one of it, or continues another one.
    expect(await judged(signedAtItsEnd(first10.slice(6)), had, trust)).toEqual([
      0,
      'signature',
      10,
    ]);
    const other = signedAtItsEnd(rewritten(6, 4));
    expect(await judged(other, had, trust)).toEqual([0, 'signature', 9]);
    expect(await judged(other.slice(1), had, trust)).toEqual([0, 'link', 9]);
    // Or passes the checkpoint.
    expect(await judged(other, had.slice(0, 5), trust)).toEqual([0, 'checkpoint', 9]);
    const forged = first10.slice(6).map(withoutSignature);
    expect(await judged(forged, had, trust)).toEqual([0, 'signature', 7]);
    expect(await judged([...forged, Buffer.from('what')], had, trust)).toEqual([0, 'signature', 7]);
  });

  test('ends before the block that the truth names, with all that came with it', async () => {
    const trust = trustNow();
    trust.takeTruth(truth({ log: { height: 6, id: decodeBlock(first10[5] ?? first).id } }));
    expect(await taken(first10, [], trust)).toEqual([10, null]);
    expect(await taken([...first10.slice(0, 4), ...rewritten(5)], [], trust)).toEqual([
      0,
      'checkpoint',
    ]);
  });
});
