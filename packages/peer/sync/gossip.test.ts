import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { root } from '../../../test/support/network-truth.ts';
import { aSubject, NETWORK, signed, START } from '../../../test/support/peer-records.ts';
import { aSession } from '../../../test/support/sessions.ts';
import { AddressBook } from '../book/address-book.ts';
import type { PeerContext } from '../context.ts';
import { Gossip } from './gossip.ts';
import { LIMITS } from '../base/limits.ts';
import { Sessions } from '../session/sessions.ts';

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Gossip of a peer with sessions, all of which it has just asked. */
function gossiping(count: number) {
  const key = generateNodeKey();
  const id = peerIdOfKey(nodeKeyText(key));
  const sessions = new Sessions(id, { residents: count, visitors: 0, visitMs: 0 }, () => {});
  const context = {
    me: { id, key },
    trust: new Trust(root()),
    book: new AddressBook({ network: NETWORK, self: id, isRefused: () => false }),
    sessions,
    have: () => ({ root: 1, truth: 0, height: 0 }),
    emit: () => {},
    punish: () => expect.fail('nobody is at fault'),
  } as Partial<PeerContext> as PeerContext;
  const gossip = new Gossip(context, () => []);
  const peers = Array.from({ length: count }, (_, n) => aSession(`peer ${n}`));
  for (const { session } of peers) {
    sessions.add(session);
    gossip.askOf(session);
  }
  let networks = 20;
  return {
    gossip,
    /** How often each was asked. */
    asked: () => peers.map(({ sent }) => sent.filter(({ t }) => t === 'getpeers').length),
    /** How many messages with records each has got. */
    told: () => peers.map(({ sent }) => sent.filter(({ t }) => t === 'peers').length),
    /** A session brings records of peers that are new. */
    learn: (records = 1, session = 0) =>
      gossip.take(
        Array.from({ length: records }, () =>
          signed(aSubject(), `/ip4/${networks++}.0.0.1/tcp/9900`),
        ),
        peers[session]!.session,
      ),
    known: () => context.book.size,
  };
}

const sum = (counts: number[]) => counts.reduce((one, other) => one + other, 0);

test('whoever has learned of a peer asks again, once, and nobody who was asked within five seconds', async () => {
  const { gossip, asked, learn } = gossiping(3);
  expect(asked()).toEqual([1, 1, 1]);
  await learn();
  for (let time = 0; time < 3; time++) gossip.askAgain();
  expect(asked()).toEqual([1, 1, 1]);
  vi.advanceTimersByTime(5000);
  for (let round = 1; round <= 3; round++) {
    await learn();
    for (let time = 0; time < 3; time++) gossip.askAgain();
    expect(sum(asked())).toBe(3 + round);
  }
  // Each has been asked again now.
  expect(asked()).toEqual([2, 2, 2]);
  await learn();
  gossip.askAgain();
  expect(asked()).toEqual([2, 2, 2]);
});

test('whoever has learned nothing does not ask again', async () => {
  const { gossip, asked, learn } = gossiping(2);
  vi.advanceTimersByTime(60_000);
  gossip.askAgain();
  expect(asked()).toEqual([1, 1]);
  await learn();
  gossip.ask();
  // What was learned before it asked is no reason to ask once more.
  gossip.askAgain();
  expect(sum(asked())).toBe(3);
});

test('a record that is new is passed on to some others, once, and not to whom it came from', async () => {
  const { told, learn } = gossiping(3 * LIMITS.recordFanout);
  await learn();
  const [first, ...others] = told();
  expect(first).toBe(0);
  expect(Math.max(...others)).toBe(1);
  expect(sum(others)).toBe(LIMITS.recordFanout);
});

test('records that many sessions bring at once leave other work its turn after a few', async () => {
  const { learn, known } = gossiping(2);
  const bringing = Promise.all([learn(40, 0), learn(40, 1)]);
  const steps: number[] = [];
  for (let before = 0; before < 80;) {
    await new Promise(setImmediate);
    steps.push(known() - before);
    before = known();
  }
  await bringing;
  expect(Math.max(...steps)).toBeLessThanOrEqual(LIMITS.recordsPerMessage / 2);
});
