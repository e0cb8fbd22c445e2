import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { openRecord } from '@mesh-registry/peer/records/peer-record.ts';
import type { PeerRecord } from '@mesh-registry/peer/records/peer-record.schema.ts';
import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { until } from '../support/until.ts';
import { Attacker } from './attacker.ts';
import { aPeer, type APeer } from './peers.ts';

/** The time of day is set; all that waits goes on as ever. */
const start = Date.now();
beforeEach(() => void vi.useFakeTimers({ now: start, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** What a peer tells a newcomer of others. */
async function toldBy(peer: APeer): Promise<PeerRecord[]> {
  const newcomer = await Attacker.create();
  onTestFinished(newcomer.stop);
  const { control } = await newcomer.enter(peer);
  await control.send({ t: 'getpeers' });
  await control.send({ t: 'ping', n: 'answered' });
  const records: DsseEnvelope[] = [];
  for (let message; (message = await control.next()).t !== 'pong';)
    if (message.t === 'peers') records.push(...(message['records'] as DsseEnvelope[]));
  await newcomer.stop();
  return records.map(openRecord);
}

test('by default a record is renewed while half of its time is left', async () => {
  vi.useFakeTimers({ now: start, toFake: ['Date', 'setInterval', 'clearInterval'] });
  const never = 2 ** 31 - 1;
  const peer = await aPeer({
    intervals: { ping: never, gossip: never, refresh: never, dial: never, save: never },
  });
  const left: number[] = [];
  for (let quarter = 1; quarter <= 6; quarter++) {
    vi.advanceTimersByTime(LIMITS.recordMs / 4);
    const own = (await toldBy(peer)).find((record) => record.peer === peer.id);
    left.push(Date.parse(own?.expires ?? '') - Date.now());
  }
  for (const ms of left) expect(ms).toBeGreaterThan(LIMITS.recordMs / 2);
});

test('the record of a peer is renewed while it is there, and others pass it on; of one that is gone it expires', async () => {
  const intervals = { ping: 1000, gossip: 300, refresh: 500, dial: 100, renew: 300 };
  const genesis = await aPeer({ intervals });
  const [lasting, leaving] = await Promise.all(
    [1, 2].map(() => aPeer({ genesis: [genesis.address], intervals })),
  );
  if (!lasting || !leaving) throw new Error('no peers');
  const toldOf = async ({ id }: APeer) =>
    (await toldBy(genesis)).findLast(({ peer }) => peer === id) ?? null;
  await until('both are known', () => genesis.peer.status.known === 2);
  const first = await toldOf(lasting);
  expect(await toldOf(leaving)).not.toBeNull();
  await leaving.stop();
  // Twice, so that the first record has expired at the end, and the second one has not.
  for (const part of [0.6, 1.2]) {
    const now = start + part * LIMITS.recordMs;
    vi.setSystemTime(now);
    await until('it is renewed', async () => {
      const { expires = '' } = (await toldOf(lasting)) ?? {};
      return Date.parse(expires) > now + LIMITS.recordMs / 2;
    });
  }
  expect((await toldOf(lasting))?.seq).toBeGreaterThan(first?.seq ?? Infinity);
  expect(await toldOf(leaving)).toBeNull();
  expect(genesis.of('fault')).toEqual([]);
});
