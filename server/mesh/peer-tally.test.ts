import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PeerRow } from '#db/schema.ts';
import { rounds } from '../../test/support/rounds.ts';
import { presentPeer } from './peer.ts';
import { PeerTally, type PeerTotals } from './peer-tally.ts';

/** Counted from scratch, as the list shows the rows. */
function countAll(rows: Iterable<PeerRow>, now: number): PeerTotals {
  const totals: PeerTotals = {
    peers: 0,
    online: 0,
    syncing: 0,
    idle: 0,
    offline: 0,
    byClass: { S: 0, M: 0, L: 0 },
    byRegion: Object.create(null) as Record<string, number>,
  };
  for (const row of rows) {
    const peer = presentPeer(row, now);
    totals.peers++;
    totals[peer.status]++;
    totals.byClass[peer.class]++;
    totals.byRegion[peer.region] = (totals.byRegion[peer.region] ?? 0) + 1;
  }
  return totals;
}

test('the totals are those of the list, after any sequence of heartbeats and at any moment', () => {
  const set = fc.record({
    do: fc.constant('set' as const),
    n: fc.nat(20),
    status: fc.constantFrom('online', 'syncing', 'idle', 'offline'),
    class: fc.constantFrom('S', 'M', 'L', null),
    region: fc.constantFrom('EU', 'NA', '__proto__', null),
    /** Another server's heartbeat arrives late, ms. */
    agoMs: fc.oneof(fc.nat(2000), fc.nat(200_000)),
  });
  const remove = fc.record({ do: fc.constant('delete' as const), n: fc.nat(20) });
  const pass = fc.record({
    do: fc.constant('pass' as const),
    ms: fc.oneof(fc.nat(1500), fc.integer({ min: 59_000, max: 61_000 }), fc.nat(90_000)),
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(set, set, pass, remove), { maxLength: 80 }), (steps) => {
      const rows = new Map<string, PeerRow>();
      const tally = new PeerTally();
      let now = 1_700_000_000_123;
      for (const step of steps) {
        if (step.do === 'pass') now += step.ms;
        else if (step.do === 'delete') {
          rows.delete(`n${step.n}`);
          tally.delete(`n${step.n}`);
        } else {
          const { status, region, class: nodeClass, agoMs } = step;
          const lastSeen = new Date(now - agoMs);
          const row = {
            ...{ id: `n${step.n}`, label: null, class: nodeClass, region, status },
            ...{ lat: 0, lng: 0, joinedAt: lastSeen, lastSeen, rev: 1 },
          } as PeerRow;
          rows.set(row.id, row);
          tally.set(row, now);
        }
        expect(tally.at(now)).toEqual(countAll(rows.values(), now));
      }
    }),
    { numRuns: rounds(200) },
  );
});
