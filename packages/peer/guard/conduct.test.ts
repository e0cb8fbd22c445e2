import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import { Conduct } from './conduct.ts';

const HOUR = 3_600_000;
const aPeer = () => peerIdOfKey(randomBytes(32).toString('base64url'));

function conduct(state?: unknown) {
  const clock = { now: 1_800_000_000_000 };
  return { clock, conduct: new Conduct({ now: () => clock.now, state }) };
}

describe('misbehaviour', () => {
  test('of 100 points refuses a peer for an hour, and nobody else', () => {
    const { clock, conduct: known } = conduct();
    const [peer, other] = [aPeer(), aPeer()];
    expect(known.punish(peer, 50)).toBe(false);
    expect(known.refusedUntil(peer)).toBeNull();
    expect(known.punish(peer, 50)).toBe(true);
    expect(known.refusedUntil(peer)).toBe(clock.now + HOUR);
    expect(known.refusedUntil(other)).toBeNull();
    clock.now += HOUR - 1;
    expect(known.refusedUntil(peer)).not.toBeNull();
    clock.now += 1;
    expect(known.refusedUntil(peer)).toBeNull();
    expect(known.punish(peer, 99)).toBe(false);
  });

  test('is forgiven, one point in ten seconds', () => {
    const { clock, conduct: known } = conduct();
    const peer = aPeer();
    known.punish(peer, 99);
    clock.now += 500_000;
    expect(known.punish(peer, 50)).toBe(false);
    clock.now += 10_000;
    expect(known.punish(peer, 1)).toBe(false);
    expect(known.punish(peer, 1)).toBe(true);
  });

  test('that stays below a point in ten seconds never refuses', () => {
    const { clock, conduct: known } = conduct();
    const peer = aPeer();
    for (let times = 0; times < 1000; times++) {
      expect(known.punish(peer, 25)).toBe(false);
      clock.now += 250_000;
    }
  });
});

describe('what is remembered', () => {
  test('survives a restart: refusals, and points that are not forgiven', () => {
    const { conduct: before } = conduct();
    const [refused, half] = [aPeer(), aPeer()];
    before.punish(refused, 100);
    before.punish(half, 60);
    const state: unknown = JSON.parse(JSON.stringify(before.state));
    const { conduct: after } = conduct(state);
    expect(after.refusedUntil(refused)).toBe(before.refusedUntil(refused));
    expect(after.punish(half, 40)).toBe(true);
  });

  test('and is damaged in one place is remembered in the others', () => {
    const { conduct: before } = conduct();
    const refused = aPeer();
    before.punish(refused, 100);
    const [entry] = before.state.peers;
    const { conduct: after } = conduct({ peers: [{ ...entry, peer: '16Uiu2HAm' }, null, entry] });
    expect(after.refusedUntil(refused)).toBe(before.refusedUntil(refused));
    expect(after.state.peers).toHaveLength(1);
  });

  test('is full of refusals: whoever does something wrong has to go, though nothing of it is remembered', () => {
    const { conduct: known } = conduct();
    for (let n = 0; n < 5000; n++) known.punish(aPeer(), 100);
    expect(known.punish(aPeer(), 5)).toBe(true);
  });

  test('and is damaged counts as nothing; a wrong clock refuses nobody for years', () => {
    for (const state of [null, 'text', [], { peers: [{ peer: 'x' }] }, { peers: {} }])
      expect(conduct(state).conduct.state).toEqual({ peers: [] });
    const peer = aPeer();
    const at = 4_000_000_000_000;
    const state = { peers: [{ peer, points: 100, at, refusedUntil: at + HOUR }] };
    const { clock, conduct: known } = conduct(state);
    expect(known.refusedUntil(peer)).toBe(clock.now + HOUR);
  });

  test('is no more than 5,000 peers, and no refusal is lost to others', () => {
    const { clock, conduct: known } = conduct();
    const refused = Array.from({ length: 50 }, aPeer);
    for (const peer of refused) known.punish(peer, 100);
    // Their points are forgiven by then, the refusals are not over.
    clock.now += HOUR / 2;
    const [worst, least] = [aPeer(), aPeer()];
    known.punish(worst, 90);
    known.punish(least, 1);
    for (let count = 0; count < 6000; count++) known.punish(aPeer(), 2);
    expect(known.state.peers).toHaveLength(5000);
    for (const peer of refused) expect(known.refusedUntil(peer)).not.toBeNull();
    const kept = new Set(known.state.peers.map(({ peer }) => peer));
    expect(kept.has(worst)).toBe(true);
    expect(kept.has(least)).toBe(false);
  });

  test('stays within its bound when all of them are refused; the next is told so all the same', () => {
    const { clock, conduct: known } = conduct();
    for (let count = 0; count < 5000; count++) known.punish(aPeer(), 100);
    const [peer, later] = [aPeer(), aPeer()];
    expect(known.punish(peer, 100)).toBe(true);
    expect(known.state.peers).toHaveLength(5000);
    clock.now += HOUR;
    known.punish(later, 100);
    expect(known.refusedUntil(later)).not.toBeNull();
  });

  test('is what a plain list of all misbehaviour tells', () => {
    const deeds = fc.array(
      fc.record({
        peer: fc.nat(3),
        points: fc.integer({ min: 1, max: 60 }),
        wait: fc.nat(400_000),
      }),
      { maxLength: 100 },
    );
    const peers = Array.from({ length: 4 }, aPeer);
    fc.assert(
      fc.property(deeds, (done) => {
        const { clock, conduct: known } = conduct();
        const points = peers.map(() => 0);
        const until = peers.map(() => 0);
        for (const { peer, points: more, wait } of done) {
          clock.now += wait;
          for (const index of peers.keys())
            points[index] = Math.max(0, (points[index] ?? 0) - wait / 10_000);
          points[peer] = (points[peer] ?? 0) + more;
          if (Math.round(points[peer] ?? 0) >= 100 || (until[peer] ?? 0) > clock.now)
            until[peer] = clock.now + HOUR;
          const refused = (until[peer] ?? 0) > clock.now;
          expect(known.punish(peers[peer] ?? '', more)).toBe(refused);
        }
      }),
      { numRuns: 50 },
    );
  });
});
