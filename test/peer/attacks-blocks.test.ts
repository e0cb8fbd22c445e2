import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect, test, vi } from 'vitest';
import { BLOCKS, TRUTH } from '@mesh-registry/peer/session/messages.schema.ts';
import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { BATCH_BLOCKS_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { block, chain, withoutSignature } from '../support/blocks.ts';
import { aRoot, HOUR, iso, keys, role } from '../support/network-truth.ts';
import { until } from '../support/until.ts';
import { closed, Wire } from './attacker.ts';
import { pack } from './pack.ts';
import { blocks, networkRoot } from './peers.ts';
import { underAttack, type Attack } from './under-attack.ts';

/** What peers may do with the log. */

/** A peer that says it has blocks, and serves packs, which may depend on how many blocks are asked for; null: it never answers. */
async function carrier(
  { victim, attacker }: Attack,
  packs: readonly Uint8Array[] | ((max: number) => readonly Uint8Array[]) | null,
  { has = {}, from = '127.0.0.2', roots = [networkRoot()] } = {},
) {
  const liar = await attacker(from);
  await liar.host.handle(BLOCKS, (stream) => {
    const wire = new Wire(stream);
    const serve = async () => {
      const { max } = await wire.next();
      const served = typeof packs === 'function' ? packs(Number(max)) : packs;
      for (const bytes of served ?? []) await wire.send(bytes);
    };
    serve().catch(() => {});
  });
  await liar.host.handle(TRUTH, (stream) => {
    void new Wire(stream).answer({ roots: roots.slice(1), truth: null });
  });
  const entered = await liar.enter(victim, { height: 50, ...has });
  entered.control.attend();
  const faults = () => victim.of('fault').filter(({ peer }) => peer === liar.id);
  return { ...entered, faults };
}

const END = new Uint8Array();

test.concurrent('forged blocks are not taken, and cost the carrier its place', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished, { connectionsPerHostPerSecond: 50 });
  const { victim } = attack;
  const first = blocks(3);
  await victim.peer.takeBlocks(first);
  const [next, after] = blocks(2, victim.peer.log.head) as [Buffer, Buffer];
  const flipped = Buffer.from(next);
  flipped.writeUInt8(flipped.readUInt8(flipped.length - 1) ^ 1, flipped.length - 1);
  const { header } = decodeBlock(next);
  const body = Buffer.from('another');
  for (const frames of [
    [flipped],
    [withoutSignature(next)],
    [block({ ...header, body }, keys(1))],
    [block({ ...header, network: 'other.example.org', body })],
    [after],
    [Buffer.from('no block at all')],
  ]) {
    const { connection, faults } = await carrier(attack, [pack(frames), END]);
    await closed(connection);
    expect(new Set(faults().map(({ points }) => points))).toEqual(new Set([100]));
  }
  expect(victim.peer.log.head.height).toBe(3);
  await attack.expectFriendship();
});

test.concurrent('a batch of 1,024 forged blocks, of eight keys each, costs the victim eight checks, and the carrier its place', async ({
  onTestFinished,
}) => {
  const eight = keys(8);
  const ours = networkRoot({ roles: { ...aRoot().roles, block: role(eight, 1) } });
  const attack = await underAttack(onTestFinished, { pinned: { roots: [ours], truth: null } });
  const forged = chain({
    count: BATCH_BLOCKS_MAX,
    start: Date.now() - HOUR,
    kind: 'forged',
    by: eight,
  });
  const worthless = forged.map(withoutSignature);
  const packs = Array.from({ length: 16 }, (_, i) => pack(worthless.slice(64 * i, 64 * (i + 1))));
  const verify = vi.spyOn(crypto, 'verify');
  syncBuiltinESMExports();
  onTestFinished(() => {
    verify.mockRestore();
    syncBuiltinESMExports();
  });
  const { connection, faults } = await carrier(attack, [...packs, END], {
    has: { height: BATCH_BLOCKS_MAX },
    roots: [ours],
  });
  await closed(connection);
  expect(faults()).toMatchObject([{ points: 100, why: 'block: signature' }]);
  const checked = verify.mock.calls.filter(([, signed]) =>
    Buffer.from(signed as Uint8Array).includes('"kind":"forged"'),
  );
  expect(checked).toHaveLength(8);
  await attack.expectFriendship();
});

test.concurrent('another block than ours that nobody has signed costs the carrier its place, alone and with its batch', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished, { connectionsPerHostPerSecond: 50 });
  const { victim } = attack;
  const all = blocks(3);
  await victim.peer.takeBlocks(all);
  const forged = blocks(4, undefined, 'forged').map(withoutSignature);
  for (const frames of [forged.slice(2, 3), forged.slice(2)]) {
    const { connection, faults } = await carrier(
      attack,
      (max) => [pack(frames.slice(0, max)), END],
      { has: { height: 3 } },
    );
    await closed(connection);
    // On a slow machine it may be found out twice.
    expect(faults().length).toBeGreaterThan(0);
    for (const fault of faults())
      expect(fault).toMatchObject({ points: 100, why: 'block: signature' });
  }
  expect(victim.peer.status.alarms).toEqual([]);
  await attack.expectFriendship();
});

test.concurrent('a pack of countless blocks, and a batch without end', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished, { connectionsPerHostPerSecond: 50 });
  const { victim } = attack;
  const crumbs = pack(Array.from({ length: 100_000 }, () => new Uint8Array(1)));
  const large = pack([new Uint8Array(260_000)]);
  for (const packs of [[crumbs], Array.from({ length: 40 }, () => large), [new Uint8Array(3)]]) {
    const { connection, faults } = await carrier(attack, packs);
    await closed(connection);
    expect(new Set(faults().map(({ points }) => points))).toEqual(new Set([100]));
  }
  expect(victim.peer.log.head.height).toBe(0);
  await attack.expectFriendship();
});

test.concurrent('who promises blocks and stalls, or drips them, does not keep the log from those who wait', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished);
  const { victim, friend } = attack;
  const all = blocks(5);
  await carrier(attack, null, { has: { height: 1000 }, from: '127.0.0.2' });
  await carrier(attack, [pack(all.slice(0, 1))], { has: { height: 1000 }, from: '127.0.0.3' });
  await friend.peer.takeBlocks(all);
  // Each of the two has 10 s, once.
  await until('the log has come', () => victim.peer.log.head.height === 5, 40_000);
  await attack.expectFriendship();
});

test.concurrent('blocks signed by keys of a newer root bring that root, by those of an older one nothing: neither is a fault', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished);
  const { victim } = attack;
  const others = keys(1);
  const rotated = networkRoot({
    version: 2,
    roles: { ...aRoot().roles, block: role(others, 1) },
  });
  const first = block({ time: iso(Date.now() - 1000) }, others);
  // It says nothing of its root, as if that had changed a moment ago.
  const newer = await carrier(attack, [pack([first]), END], {
    has: { height: 1 },
    roots: [networkRoot(), rotated],
  });
  await until('the block is there', () => victim.peer.log.head.height === 1);
  expect(victim.peer.status.root.version).toBe(2);
  expect(newer.faults()).toEqual([]);
  // The keys of root 1 count no more.
  const older = await carrier(attack, [pack(blocks(1, victim.peer.log.head)), END], {
    has: { height: 2 },
    from: '127.0.0.3',
  });
  await until('it is not believed', () => victim.of('blocks_refused').length >= 2);
  await older.control.send({ t: 'ping', n: 'still here' });
  await attack.expectFriendship();
  expect(older.faults()).toEqual([]);
  expect(older.connection.status).toBe('open');
});

test.concurrent('who says that it has a newer root and cannot give it in time is not taken for a forger, only for one who breaks a promise', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished, {
    // It is asked for its root once: asking again would be another broken promise before the blocks.
    intervals: { ping: 2000, gossip: 2000, refresh: 60_000, dial: 200 },
  });
  const { victim } = attack;
  const signed = block({ time: iso(Date.now() - 1000) }, keys(1));
  const slow = await carrier(attack, [pack([signed]), END], { has: { height: 1, root: 2 } });
  await until('it is not believed', () => slow.faults().some(({ why }) => /^block/.test(why)));
  expect(new Set(slow.faults().map(({ points }) => points))).toEqual(new Set([20]));
  expect(slow.connection.status).toBe('open');
  expect(victim.peer.log.head.height).toBe(0);
  await attack.expectFriendship();
});
