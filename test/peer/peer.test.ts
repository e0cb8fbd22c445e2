import { describe, expect, onTestFinished, test } from 'vitest';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { startNetworkProxy } from '../support/network-proxy.ts';
import { aRoot, keys, role } from '../support/network-truth.ts';
import { SLOW } from '../support/slow.ts';
import { until } from '../support/until.ts';
import {
  aPeer,
  blocks,
  isConnected,
  networkRoot,
  networkTruth,
  sessionsOf,
  startPeer,
} from './peers.ts';

describe('peers that know only Genesis', () => {
  test('come to know each other, keep one session with each, and measure how far they are', async () => {
    const genesis = await aPeer();
    const others = await Promise.all(
      Array.from({ length: 4 }, () => aPeer({ genesis: [genesis.address] })),
    );
    const all = [genesis, ...others];
    await until('all know all', () => all.every(({ peer }) => peer.status.known === 4));
    await until('all are connected', () => all.every((one) => sessionsOf(one).length === 4));
    for (const one of all) expect(new Set(sessionsOf(one)).size).toBe(4);
    await until('all have measured', () =>
      all.every(({ peer }) => peer.status.sessions.every(({ rtt }) => rtt && rtt.count >= 2)),
    );
    for (const { rtt } of genesis.peer.status.sessions) {
      expect(rtt?.min).toBeGreaterThan(0);
      expect(rtt?.min).toBeLessThanOrEqual(rtt?.smoothed ?? 0);
    }
    // Nobody has done anything wrong.
    expect(all.flatMap((one) => one.of('fault'))).toEqual([]);
  });
});

test('a peer measures how long a message takes to a peer and back', async () => {
  const genesis = await aPeer();
  const port = Number(/\/tcp\/(\d+)\//.exec(genesis.address)?.[1]);
  const proxy = await startNetworkProxy(`http://127.0.0.1:${port}`, { delayMs: 50 });
  onTestFinished(() => proxy.cut());
  const behind = genesis.address.replace(`/tcp/${port}/`, `/tcp/${new URL(proxy.url).port}/`);
  const one = await aPeer({ genesis: [behind], intervals: { ping: 250 } });
  const roundTrip = () => one.peer.status.sessions[0]?.rtt;
  await until('it has measured', () => (roundTrip()?.count ?? 0) >= 5);
  // Timers may fire a part of a millisecond early.
  expect(roundTrip()?.min).toBeGreaterThan(98);
  expect(roundTrip()?.min).toBeLessThan(100 + 20 * SLOW);
});

describe('the truth', () => {
  test('that one peer gets reaches all, also one that comes later, and is kept over a restart', async () => {
    const genesis = await aPeer();
    const one = await aPeer({ genesis: [genesis.address] });
    await until('they are connected', () => isConnected(genesis, one));
    const document = networkTruth();
    genesis.peer.takeTruth({ roots: [], truth: document });
    await until('it has the truth', () => one.peer.status.truth?.version === 1);
    const later = await aPeer({ genesis: [genesis.address] });
    await until('the later one has it too', () => later.peer.status.truth?.version === 1);
    await one.stop();
    const again = await startPeer({ ...one.options, genesis: [] });
    expect(again.peer.status.truth?.version).toBe(1);
    expect(again.peer.status.stale).toBe(false);
  });

  test('bans a peer: it is told, cut everywhere, and refused when it comes again', async () => {
    const genesis = await aPeer();
    const [one, other] = await Promise.all([1, 2].map(() => aPeer({ genesis: [genesis.address] })));
    if (!one || !other) throw new Error('no peers');
    await until('all are connected', () =>
      [genesis, one, other].every((peer) => sessionsOf(peer).length === 2),
    );
    const ban = { peer: other.id, reason: 'test', since: new Date().toISOString(), until: null };
    genesis.peer.takeTruth({ roots: [], truth: networkTruth({ bans: [ban] }) });
    await until('it is alone', () => sessionsOf(other).length === 0);
    await until('the others are without it', () => !isConnected(one, other));
    expect(other.of('disconnected').map(({ reason }) => reason)).toContain('said bye: banned');
    await until('it is told why', () =>
      other.of('refused_by').some(({ code }) => code === 'banned'),
    );
    // By one or by both of them.
    expect(Object.keys(other.peer.status.refusedBy)).toEqual(['banned']);
    await until('the session is there', () => isConnected(genesis, one));
    expect(one.peer.status.refusedBy).toEqual({});
  });

  test('bans on while a new root has no truth yet, also over a restart; the next truth decides', async () => {
    const genesis = await aPeer();
    const banned = await aPeer({ genesis: [genesis.address] });
    await until('they are connected', () => isConnected(genesis, banned));
    const ban = { peer: banned.id, reason: 'test', since: new Date().toISOString(), until: null };
    genesis.peer.takeTruth({ roots: [], truth: networkTruth({ bans: [ban] }) });
    await until('it is cut', () => !isConnected(genesis, banned));
    const others = keys(1);
    const next = networkRoot({
      version: 2,
      roles: { ...aRoot().roles, truth: role(others, 1) },
    });
    genesis.peer.takeTruth({ roots: [next], truth: null });
    expect(genesis.peer.status.truth).toBeNull();
    await banned.stop();
    await genesis.stop();
    const again = await startPeer(genesis.options);
    // One that is started again comes at once.
    const first = await startPeer(banned.options);
    await until('it is refused', () => first.peer.status.refusedBy['banned'] === 1);
    expect(sessionsOf(again)).toEqual([]);
    await first.stop();
    again.peer.takeTruth({ roots: [], truth: networkTruth({}, others) });
    const second = await startPeer(banned.options);
    await until('it is let in', () => isConnected(again, second));
  });
});

describe('the log', () => {
  test('is replicated, goes on after a restart, and a rewritten one is found out', async () => {
    const genesis = await aPeer();
    const one = await aPeer({ genesis: [genesis.address] });
    await until('they are connected', () => isConnected(genesis, one));
    const first = blocks(20);
    await genesis.peer.takeBlocks(first);
    await until('it has the blocks', () => one.peer.log.head.height === 20);
    expect(one.peer.log.head.id).toBe(genesis.peer.log.head.id);
    await one.stop();
    await genesis.peer.takeBlocks(blocks(5, genesis.peer.log.head));
    const again = await startPeer(one.options);
    await until('it has the others too', () => again.peer.log.head.height === 25);

    const liar = await aPeer({ genesis: [again.address] });
    await liar.peer.takeBlocks(blocks(25, undefined, 'another'));
    await until('the fork is noticed', () => again.peer.status.alarms.length > 0);
    expect(again.peer.status.alarms[0]).toMatchObject({ kind: 'log_fork' });
    expect(again.peer.log.head.id).toBe(genesis.peer.log.head.id);
    // It may have been given these blocks by others.
    expect(again.of('fault')).toEqual([]);
  });

  test('comes whole where it is longer than a batch, in blocks or in bytes', async () => {
    const genesis = await aPeer();
    const many = 2 * LIMITS.batchBlocks + 10;
    await genesis.peer.takeBlocks(blocks(many));
    const large = 'x'.repeat(100_000);
    await genesis.peer.takeBlocks(blocks(100, genesis.peer.log.head, large));
    const one = await aPeer({ genesis: [genesis.address] });
    await until('it has all of it', () => one.peer.log.head.height === many + 100);
    expect(one.peer.log.head.id).toBe(genesis.peer.log.head.id);
    expect(one.of('blocks').length).toBeGreaterThanOrEqual(5);
    expect(one.of('fault')).toEqual([]);
  });
});

test('whoever comes to a full Genesis learns of others, and has to go', async () => {
  // Seven places, and one for visitors.
  const genesis = await aPeer({ maxPeers: 8, outbound: 0, intervals: { visit: 1500 } });
  const first = await Promise.all(
    Array.from({ length: 7 }, () => aPeer({ genesis: [genesis.address], outbound: 2 })),
  );
  await until('all places are taken', () => sessionsOf(genesis).length === 7);
  const newcomer = await aPeer({ genesis: [genesis.address], outbound: 2 });
  await until('it has to go', () =>
    newcomer.of('disconnected').some(({ reason }) => reason === 'said bye: busy'),
  );
  await until('it is connected with others', () => sessionsOf(newcomer).length >= 2);
  expect(newcomer.peer.status.known).toBeGreaterThanOrEqual(7);
  await until('their sessions are there', () => first.every((peer) => isConnected(genesis, peer)));
});

test('a full peer makes room only for a network that has fewer places, and keeps its own for those it dials', async () => {
  const full = await aPeer({ maxPeers: 4, outbound: 2 });
  const guests = await Promise.all([1, 2].map(() => aPeer({ genesis: [full.address] })));
  await until('two are in', () => guests.every((guest) => isConnected(full, guest)));
  const another = await aPeer({ genesis: [full.address] });
  // Each port of this machine is a group of its own, so nobody is crowded.
  await until('it is told', () => another.of('refused_by').some(({ code }) => code === 'busy'));
  expect(guests.every((guest) => isConnected(full, guest))).toBe(true);
  const dialled = await aPeer();
  await full.stop();
  const again = await startPeer({ ...full.options, genesis: [dialled.address] });
  await until('it has dialled', () => isConnected(again, dialled));
  await until('the guests are in again', () => sessionsOf(again).length >= 3);
});
