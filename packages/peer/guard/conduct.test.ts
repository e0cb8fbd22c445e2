import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import { Conduct } from './conduct.ts';

const HOUR = 3_600_000;
const FROM = '/ip4/192.0.2.1/tcp/1024';
const aPeer = () => peerIdOfKey(randomBytes(32).toString('base64url'));

function conduct(state?: unknown) {
  const clock = { now: 1_800_000_000_000 };
  return { clock, conduct: new Conduct({ now: () => clock.now, state }) };
}

describe('misbehaviour', () => {
  test('of 100 points refuses a peer for an hour, and nobody else', () => {
    const { clock, conduct: known } = conduct();
    const [peer, other] = [aPeer(), aPeer()];
    expect(known.punish(peer, 50, FROM)).toBe(false);
    expect(known.refusedUntil(peer)).toBeNull();
    expect(known.punish(peer, 50, FROM)).toBe(true);
    expect(known.refusedUntil(peer)).toBe(clock.now + HOUR);
    expect(known.refusedUntil(other)).toBeNull();
    clock.now += HOUR - 1;
    expect(known.refusedUntil(peer)).not.toBeNull();
    clock.now += 1;
    expect(known.refusedUntil(peer)).toBeNull();
    expect(known.punish(peer, 99, FROM)).toBe(false);
  });

  test('is forgiven, one point in ten seconds', () => {
    const { clock, conduct: known } = conduct();
    const peer = aPeer();
    known.punish(peer, 99, FROM);
    clock.now += 500_000;
    expect(known.punish(peer, 50, FROM)).toBe(false);
    clock.now += 10_000;
    expect(known.punish(peer, 1, FROM)).toBe(false);
    expect(known.punish(peer, 1, FROM)).toBe(true);
  });

  test('that stays below a point in ten seconds never refuses', () => {
    const { clock, conduct: known } = conduct();
    const peer = aPeer();
    for (let times = 0; times < 1000; times++) {
      expect(known.punish(peer, 25, FROM)).toBe(false);
      clock.now += 250_000;
    }
  });
});

describe('what is remembered', () => {
  test('survives a restart: refusals, and points that are not forgiven', () => {
    const { conduct: before } = conduct();
    const [refused, half] = [aPeer(), aPeer()];
    before.punish(refused, 100, FROM);
    before.punish(half, 60, FROM);
    const state: unknown = JSON.parse(JSON.stringify(before.state));
    const { conduct: after } = conduct(state);
    expect(after.refusedUntil(refused)).toBe(before.refusedUntil(refused));
    expect(after.punish(half, 40, FROM)).toBe(true);
  });

  test('and is damaged in one place is remembered in the others', () => {
    const { conduct: before } = conduct();
    const refused = aPeer();
    before.punish(refused, 100, FROM);
    const [entry] = before.state.peers;
    const { conduct: after } = conduct({ peers: [{ ...entry, peer: '16Uiu2HAm' }, null, entry] });
    expect(after.refusedUntil(refused)).toBe(before.refusedUntil(refused));
    expect(after.state.peers).toHaveLength(1);
  });

  test('is full of refusals: a small fault still is one, and adds up to a refusal', () => {
    const { conduct: known } = conduct();
    for (let n = 0; n < 5000; n++) known.punish(aPeer(), 100, FROM);
    const [honest, attacker] = [aPeer(), aPeer()];
    expect(known.punish(honest, 5, FROM)).toBe(false);
    expect(known.punish(attacker, 50, FROM)).toBe(false);
    expect(known.punish(attacker, 50, FROM)).toBe(true);
    expect(known.refusedUntil(honest)).toBeNull();
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

  test('is no more than 1,000 peers that are not refused, and no refusal is lost to others', () => {
    const { clock, conduct: known } = conduct();
    const refused = Array.from({ length: 50 }, aPeer);
    for (const peer of refused) known.punish(peer, 100, FROM);
    // Their points are forgiven by then, the refusals are not over.
    clock.now += HOUR / 2;
    const [worst, least] = [aPeer(), aPeer()];
    known.punish(worst, 90, FROM);
    known.punish(least, 1, FROM);
    for (let count = 0; count < 6000; count++) known.punish(aPeer(), 2, FROM);
    expect(known.state.peers).toHaveLength(1050);
    for (const peer of refused) expect(known.refusedUntil(peer)).not.toBeNull();
    const kept = new Set(known.state.peers.map(({ peer }) => peer));
    expect(kept.has(worst)).toBe(true);
    expect(kept.has(least)).toBe(false);
  });

  test('stays within its bound when all of them are refused; the next is told so all the same', () => {
    const { clock, conduct: known } = conduct();
    for (let count = 0; count < 5000; count++) known.punish(aPeer(), 100, FROM);
    const [peer, later] = [aPeer(), aPeer()];
    expect(known.punish(peer, 100, FROM)).toBe(true);
    expect(known.state.peers).toHaveLength(5000);
    clock.now += HOUR;
    known.punish(later, 100, FROM);
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
          expect(known.punish(peers[peer] ?? '', more, FROM)).toBe(refused);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('where it came from', () => {
  const at = (host: string) => `/ip4/${host}/tcp/${1024 + Math.floor(Math.random() * 60_000)}`;

  test('is refused after two refused peers, not for the fault of one, and nobody elsewhere is', () => {
    const { clock, conduct: known } = conduct();
    known.punish(aPeer(), 100, at('192.0.2.1'));
    expect(known.isHostRefused(at('192.0.2.1'))).toBe(false);
    known.punish(aPeer(), 100, at('192.0.2.1'));
    expect(known.isHostRefused(at('192.0.2.1'))).toBe(true);
    expect(known.isHostRefused(at('192.0.2.2'))).toBe(false);
    clock.now += HOUR;
    expect(known.isHostRefused(at('192.0.2.1'))).toBe(false);
  });

  test('is the /64 of IPv6, and the IPv4 address that is written as one of IPv6', () => {
    const { conduct: known } = conduct();
    for (const host of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2'])
      known.punish(aPeer(), 100, `/ip6/${host}/tcp/1`);
    expect(known.isHostRefused('/ip6/2001:db8:1:2:3::/tcp/2')).toBe(true);
    expect(known.isHostRefused('/ip6/2001:db8:1:3::1/tcp/2')).toBe(false);
    for (const address of ['/ip6/::ffff:192.0.2.1/tcp/1', '/ip4/192.0.2.1/tcp/2'])
      known.punish(aPeer(), 100, address);
    expect(known.isHostRefused(at('192.0.2.1'))).toBe(true);
  });

  test('is a network after ten refused peers, unless it is a private one', () => {
    const { conduct: known } = conduct();
    for (let n = 1; n <= 10; n++) {
      expect(known.isHostRefused(at('198.51.100.200'))).toBe(false);
      known.punish(aPeer(), 100, at(`198.51.100.${n}`));
      known.punish(aPeer(), 100, at(`10.0.0.${n}`));
      known.punish(aPeer(), 100, `/ip6/2001:db8:1:${n}::1/tcp/1`);
    }
    expect(known.isHostRefused(at('198.51.100.200'))).toBe(true);
    expect(known.isHostRefused(at('198.51.101.200'))).toBe(false);
    expect(known.isHostRefused('/ip6/2001:db8:1:ffff::1/tcp/1')).toBe(true);
    expect(known.isHostRefused('/ip6/2001:db8:2::1/tcp/1')).toBe(false);
    expect(known.isHostRefused(at('10.0.0.200'))).toBe(false);
  });

  test('is never stored', () => {
    const { conduct: known } = conduct();
    for (let n = 1; n <= 20; n++) known.punish(aPeer(), 100, at('198.51.100.7'));
    expect(Object.keys(known.state.peers[0] ?? {})).toEqual([
      'peer',
      'points',
      'at',
      'refusedUntil',
    ]);
    expect(JSON.stringify(known.state)).not.toContain('198.51.100');
    expect(conduct(known.state).conduct.isHostRefused(at('198.51.100.7'))).toBe(false);
  });
});
