import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { isSigned } from '@mesh-registry/protocol/log/block-signatures.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { chain, withoutSignature } from '../support/blocks.ts';
import { aRoot, HOUR, keys, role } from '../support/network-truth.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { aPeer, isConnected, networkRoot, networkTruth, ROOT } from './peers.ts';

/** How often the peers of these tests compare their logs. */
const REFRESH_MS = 500;

/** A peer's directory with a log of some batches. */
async function directoryWith(...batches: Buffer[][]): Promise<string> {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const log = BlockLog.open(join(path, 'log'), { trust: new Trust(ROOT) });
  for (const frames of batches)
    expect(await log.append(frames)).toEqual({ added: frames.length, bad: null });
  await log.close();
  return path;
}

/** Blocks of which only the last has a signature that is worth something. */
const unsigned = (blocks: readonly Buffer[]) =>
  blocks.map((frame, i, { length }) => (i < length - 1 ? withoutSignature(frame) : frame));

test('nobody is refused for worthless signatures that others made it carry', async () => {
  const start = Date.now() - HOUR;
  const blocks = chain({ count: 100, start, body: () => Buffer.alloc(64_000) });
  const carrier = await aPeer({
    directory: await directoryWith(unsigned(blocks.slice(0, 50)), unsigned(blocks.slice(50))),
  });
  // The batches that it asks for end elsewhere.
  const other = await aPeer({
    directory: await directoryWith(blocks.slice(0, 10)),
    genesis: [carrier.address],
  });
  await expect.poll(() => other.peer.log.head.height).toBe(100);
  expect(other.of('blocks_refused')).toEqual([]);
});

describe('a history that was rewritten and signed only at the ends of its batches', () => {
  const start = Date.now() - HOUR;
  const original = chain({ count: 20, start });
  const rewritten = chain({
    count: 15,
    start,
    body: (height) => Buffer.from(`never happened ${height}`),
  });

  /** A peer with the first original blocks, and one that brings it the others. */
  async function meeting(count: number, ...batches: Buffer[][]) {
    const victim = await aPeer({ directory: await directoryWith(original.slice(0, count)) });
    const carrier = await aPeer({
      directory: await directoryWith(...batches.map(unsigned)),
      genesis: [victim.address],
    });
    return { victim, carrier };
  }

  for (const [what, count, batches, details] of [
    [
      'is longer',
      10,
      [rewritten],
      [
        'Block 11 is signed, but continues another block 10.',
        'There are two signed blocks at height 10.',
      ],
    ],
    [
      'is longer, with the end of a batch where the other one ends',
      10,
      [rewritten.slice(0, 10), rewritten.slice(10)],
      [
        'Block 11 is signed, but continues another block 10.',
        'There are two signed blocks at height 10.',
      ],
    ],
    ['is as long', 15, [rewritten], ['There are two signed blocks at height 15.']],
    ['is shorter', 20, [rewritten], ['There are two signed blocks at height 15.']],
  ] as const)
    test(`is found out if it ${what}, and who carries it is not punished`, async () => {
      const { victim, carrier } = await meeting(count, ...batches.map((batch) => [...batch]));
      const alarms = () => victim.peer.status.alarms;
      await until('all of it is noticed', () => alarms().length >= details.length);
      await sleep(2 * REFRESH_MS);
      expect(alarms().map(({ kind }) => kind)).toEqual(details.map(() => 'log_fork'));
      expect(
        alarms()
          .map(({ detail }) => detail)
          .sort(),
      ).toEqual(details);
      expect(victim.of('blocks_refused').map(({ reason }) => reason)).not.toContain('signature');
      expect(victim.of('fault')).toEqual([]);
      await until('the session is there', () => isConnected(victim, carrier));
      expect(victim.peer.log.head.id).toBe(decodeBlock(original[count - 1]!).id);
      // Each of the proofs has a signature that counts.
      const kept = JSON.parse(readFileSync(join(victim.directory, 'alarms.json'), 'utf8')) as {
        evidence: string;
      }[];
      expect(kept).toHaveLength(details.length);
      for (const { evidence } of kept)
        expect(isSigned(decodeBlock(Buffer.from(evidence, 'base64')), new Trust(ROOT))).toBe(true);
    });
});

describe('who carries a history that is signed only at the ends of its batches is not punished', () => {
  const start = Date.now() - HOUR;
  const original = chain({ count: 10, start });
  const checkpoint = { height: 6, id: decodeBlock(original[5]!).id };

  test('if it passes the block that the truth names in the middle: that is a fork', async () => {
    const rewritten = chain({ count: 9, start, body: () => Buffer.from('never happened') });
    const victim = await aPeer();
    victim.peer.takeTruth({ roots: [], truth: networkTruth({ log: checkpoint }) });
    const carrier = await aPeer({
      directory: await directoryWith(unsigned(rewritten)),
      genesis: [victim.address],
    });
    await until('it is noticed', () => victim.peer.status.alarms.length > 0);
    await sleep(2 * REFRESH_MS);
    expect(victim.peer.status.alarms).toMatchObject([
      { kind: 'log_fork', detail: "Block 6 is not the one that the network's truth names." },
    ]);
    expect(victim.of('fault')).toEqual([]);
    await until('the session is there', () => isConnected(victim, carrier));
    expect(victim.peer.log.head.height).toBe(0);
  });

  test('if their keys are those of an earlier root', async () => {
    const rotated = networkRoot({
      version: 2,
      roles: { ...aRoot().roles, block: role(keys(1), 1) },
    });
    const victim = await aPeer({ directory: await directoryWith(original.slice(0, 6)) });
    victim.peer.takeTruth({ roots: [rotated], truth: networkTruth({ log: checkpoint }) });
    const carrier = await aPeer({
      directory: await directoryWith(unsigned(original)),
      genesis: [victim.address],
    });
    await until('it is not believed', () => victim.of('blocks_refused').length > 0);
    await sleep(2 * REFRESH_MS);
    expect(victim.of('blocks_refused').map(({ reason }) => reason)).toContain('signature');
    expect(victim.of('fault')).toEqual([]);
    await until('the session is there', () => isConnected(victim, carrier));
    expect(victim.peer.log.head.height).toBe(6);
    expect(victim.peer.status.alarms).toEqual([]);
  });
});
