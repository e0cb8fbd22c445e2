import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { BLOCKS } from '@mesh-registry/peer/session/messages.schema.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { chain } from '../support/blocks.ts';
import { HOUR } from '../support/network-truth.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { Attacker, Wire } from './attacker.ts';
import { pack } from './pack.ts';
import { aPeer, isConnected, networkTruth, ROOT, startPeer } from './peers.ts';

/** A peer that was fed a history which the block keys have signed, but that the network's truth does not name. */

const start = Date.now() - HOUR;
const original = chain({ count: 30, start });
const rewritten = chain({
  count: 25,
  after: original[4],
  start,
  body: (height) => Buffer.from(`never happened ${height}`),
});
const other = [...original.slice(0, 5), ...rewritten];
const checkpoint = { height: 20, id: decodeBlock(original[19]!).id };
const truth = networkTruth({ log: checkpoint });
const idOf = (frame: Buffer | undefined) => decodeBlock(frame!).id;

async function directoryWith(frames: readonly Buffer[]): Promise<string> {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  await write(join(path, 'log'), frames);
  return path;
}

async function write(directory: string, frames: readonly Buffer[]): Promise<void> {
  const log = BlockLog.open(directory, { trust: new Trust(ROOT) });
  // Some batches.
  for (let at = 0; at < frames.length; at += 7) await log.append(frames.slice(at, at + 7));
  await log.close();
}

const keptIn = (directory: string) =>
  readdirSync(directory).filter((name) => name.startsWith('log.forked-'));

describe('is given the right one by a peer that has it, keeps the other as evidence, and says so', () => {
  for (const [what, had] of [
    ['it is as long', other],
    ['it ends after the block that the truth names', other.slice(0, 22)],
    ['it ends before that', other.slice(0, 10)],
  ] as const)
    test(what, async () => {
      const victim = await aPeer({ directory: await directoryWith(had) });
      victim.peer.takeTruth({ roots: [], truth });
      expect(victim.peer.status.log.contradicted).toBe(had.length > checkpoint.height);
      // Who has the same false history is no help.
      const alike = await aPeer({
        directory: await directoryWith(other),
        genesis: [victim.address],
      });
      await until('they are connected', () => isConnected(victim, alike));
      await sleep(500);
      expect(keptIn(victim.directory)).toEqual([]);
      const honest = await aPeer({
        directory: await directoryWith(original),
        genesis: [victim.address],
      });
      await until('it has the right log', () => victim.peer.log.head.id === idOf(original[29]));
      expect(victim.peer.status.log).toMatchObject({ height: 30, contradicted: false });
      expect(victim.of('fault')).toEqual([]);
      expect(isConnected(victim, honest)).toBe(true);
      // The other one is whole.
      const kept = keptIn(victim.directory);
      expect(kept).toHaveLength(1);
      const evidence = BlockReader.open(join(victim.directory, kept[0]!));
      expect(evidence.idAt(had.length)).toBe(idOf(had.at(-1)));
      expect(victim.peer.status.alarms).toContainEqual(
        expect.objectContaining({
          kind: 'log_fork',
          detail: `The log was not the one that the truth names, and was replaced. It is kept in ${kept[0]}.`,
        }),
      );
      // It goes on from there, also after a restart, and passes on what is right.
      const more = chain({ count: 3, after: original[29], start });
      await honest.peer.takeBlocks(more);
      await until('it goes on', () => victim.peer.log.head.height === 33);
      await until('others are healed too', () => alike.peer.log.head.height === 33);
      await victim.stop();
      const again = await startPeer(victim.options);
      expect(again.peer.log.head.id).toBe(idOf(more[2]));
      expect(keptIn(victim.directory)).toEqual(kept);
    });
});

test('nothing is replaced because blocks or peers say so: only the truth decides', async () => {
  const victim = await aPeer({ directory: await directoryWith(original) });
  victim.peer.takeTruth({ roots: [], truth });
  const liar = await aPeer({ directory: await directoryWith(other), genesis: [victim.address] });
  await until('the other one is healed', () => liar.peer.log.head.id === idOf(original[29]));
  expect(keptIn(victim.directory)).toEqual([]);
  expect(victim.peer.log.head.id).toBe(idOf(original[29]));
  expect(victim.peer.status.log.contradicted).toBe(false);
});

test('a log that is only shorter than the truth names is no other history, whatever a thief of the block keys says', async () => {
  const victim = await aPeer({ directory: await directoryWith(original.slice(0, 10)) });
  victim.peer.takeTruth({ roots: [], truth });
  const thief = await Attacker.create();
  onTestFinished(thief.stop);
  let asked = 0;
  await thief.host.handle(BLOCKS, (stream) => {
    const wire = new Wire(stream);
    const serve = async () => {
      const { from, max } = await wire.next();
      asked++;
      // Block 11 of another history, else all that is right.
      const served =
        Number(from) === 11
          ? rewritten.slice(5, 6)
          : original.slice(Number(from) - 1, Number(from) - 1 + Number(max));
      await wire.send(pack(served));
      await wire.send(new Uint8Array());
    };
    serve().catch(() => {});
  });
  const { control } = await thief.enter(victim, { height: 30 });
  control.attend();
  await until('it is found out', () => victim.peer.status.alarms.length > 0);
  await until('the right one was fetched', () => asked >= 3);
  await sleep(500);
  expect(victim.peer.status.alarms.map(({ detail }) => detail)).not.toContainEqual(
    expect.stringContaining('was replaced'),
  );
  expect(keptIn(victim.directory)).toEqual([]);
  expect(victim.peer.log.head.height).toBe(10);
});

describe('whoever is killed while its log is replaced finds the one or the other', () => {
  const started = async (directory: string) => {
    const peer = await aPeer({ directory });
    expect(existsSync(join(directory, 'log.new'))).toBe(false);
    return peer;
  };

  test('while the right one is fetched: the one that it had', async () => {
    const directory = await directoryWith(other);
    await write(join(directory, 'log.new'), original.slice(0, 12));
    const { peer } = await started(directory);
    expect(peer.log.head.id).toBe(idOf(other[29]));
    expect(keptIn(directory)).toEqual([]);
  });

  test('between the moves: the right one, and the evidence', async () => {
    const directory = await directoryWith(other);
    await write(join(directory, 'log.new'), original.slice(0, 20));
    renameSync(join(directory, 'log'), join(directory, 'log.forked-2026-11-23T08-00-00Z'));
    const { peer } = await started(directory);
    expect(peer.log.head.id).toBe(checkpoint.id);
    expect(keptIn(directory)).toHaveLength(1);
  });

  test('and a disk that does not let it be moved changes nothing', async () => {
    const directory = await directoryWith(other);
    const log = BlockLog.open(join(directory, 'log'), { trust: new Trust(ROOT) });
    const right = BlockLog.open(join(directory, 'log.new'), { trust: new Trust(ROOT) });
    await right.append(original);
    const taken = join(directory, 'taken');
    mkdirSync(join(taken, 'by something'), { recursive: true });
    const before = readFileSync(join(directory, 'log', readdirSync(join(directory, 'log'))[0]!));
    await expect(log.replaceBy(right, taken)).rejects.toThrow();
    expect(readFileSync(join(directory, 'log', readdirSync(join(directory, 'log'))[0]!))).toEqual(
      before,
    );
    expect(await log.append(chain({ count: 1, after: other[29], start }))).toMatchObject({
      added: 1,
    });
    // And then it works.
    const appended = log.append(chain({ count: 1, after: original[29], start }));
    await log.replaceBy(right, join(directory, 'free'));
    expect((await appended).added).toBe(0);
    expect(await log.append(chain({ count: 2, after: original[29], start }))).toMatchObject({
      added: 2,
      bad: null,
    });
    expect(log.head.height).toBe(32);
    await log.close();
  });
});
