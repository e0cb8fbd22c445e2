import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PeerRow } from '#db/schema/index.ts';
import { rounds } from '../../test/support/rounds.ts';
import { presentPeer } from './peer.ts';
import { NodeTotals } from './node-totals.ts';
import { CELLS, cellOf, placeId, placeTuple, readPlace } from './places.schema.ts';
import { PlaceIndex } from './places.ts';

const GRID = 0.5;

/** Counted from scratch, as the list shows the rows. */
function countAll(rows: Iterable<PeerRow>, now: number): ReturnType<NodeTotals['at']> {
  const totals: ReturnType<NodeTotals['at']> = {
    peers: 0,
    online: 0,
    syncing: 0,
    idle: 0,
    offline: 0,
    byClass: { S: 0, M: 0, L: 0 },
    byRegion: Object.create(null) as Record<string, number>,
  };
  for (const row of rows) {
    const peer = presentPeer(row, now, GRID);
    totals.peers++;
    totals[peer.status]++;
    totals.byClass[peer.class]++;
    totals.byRegion[peer.region] = (totals.byRegion[peer.region] ?? 0) + 1;
  }
  return totals;
}

/** The counts of each place by cell, from scratch. */
function countPlaces(rows: Iterable<PeerRow>, now: number): Record<string, number[]> {
  const places: Record<string, number[]> = {};
  for (const row of rows) {
    const peer = presentPeer(row, now, GRID);
    const counts = (places[placeId(peer)] ??= CELLS.map(() => 0));
    const cell = cellOf(peer.status, peer.class);
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  return places;
}

test('totals and places are those of the list, after any sequence of heartbeats and at any moment', () => {
  const set = fc.record({
    do: fc.constant('set' as const),
    n: fc.nat(20),
    status: fc.constantFrom('online', 'syncing', 'idle', 'offline'),
    class: fc.constantFrom('S', 'M', 'L', null),
    region: fc.constantFrom('EU', 'NA', '__proto__', null),
    lat: fc.constantFrom(0, 48, 48.5),
    lng: fc.constantFrom(-180, 11.5),
    /** Another server's heartbeat arrives late, ms. */
    agoMs: fc.oneof(fc.nat(2000), fc.nat(200_000)),
  });
  const remove = fc.record({ do: fc.constant('delete' as const), n: fc.nat(20) });
  const pass = fc.record({
    do: fc.constant('pass' as const),
    ms: fc.oneof(fc.nat(1500), fc.integer({ min: 59_000, max: 61_000 }), fc.nat(90_000)),
  });
  const look = fc.record({ do: fc.constant('look' as const) });
  fc.assert(
    fc.property(fc.array(fc.oneof(set, set, pass, remove, look), { maxLength: 80 }), (steps) => {
      const rows = new Map<string, PeerRow>();
      const places = new PlaceIndex();
      const totals = new NodeTotals(places, GRID);
      /** What a client has that applies each change. */
      const followed = new Map<string, readonly number[]>();
      let seen = 0;
      let now = 1_700_000_000_123;
      for (const step of steps) {
        if (step.do === 'look') {
          places.publish();
          for (const place of places.table.changedSince(seen, (_, changed) => changed)) {
            const { id, counts } = readPlace(placeTuple(place));
            followed.set(id, counts);
          }
          for (const { id } of places.table.removedSince(seen) ?? []) followed.delete(id);
          seen = places.table.version;
          expect(Object.fromEntries(followed)).toEqual(countPlaces(rows.values(), now));
        } else if (step.do === 'pass') now += step.ms;
        else if (step.do === 'delete') {
          rows.delete(`n${step.n}`);
          totals.delete(`n${step.n}`);
        } else {
          const { status, region, class: nodeClass, lat, lng, agoMs } = step;
          const lastSeen = new Date(now - agoMs);
          const row = {
            ...{ id: `n${step.n}`, label: null, class: nodeClass, region, status },
            ...{ lat, lng, joinedAt: lastSeen, lastSeen, rev: 1 },
          } as PeerRow;
          rows.set(row.id, row);
          totals.set(row, now);
        }
        expect(totals.at(now)).toEqual(countAll(rows.values(), now));
      }
    }),
    { numRuns: rounds(200) },
  );
});

test('a heartbeat that changes no count changes no place, and nor do changes that cancel out', () => {
  const places = new PlaceIndex();
  const totals = new NodeTotals(places, GRID);
  const row = (id: string, seconds: number, status = 'online') =>
    ({
      ...{ id, label: null, class: 'S', region: 'EU', status, lat: 48, lng: 11.5, rev: seconds },
      ...{ joinedAt: new Date(0), lastSeen: new Date(seconds * 1000) },
    }) as PeerRow;
  const versionAfter = (...rows: PeerRow[]) => {
    for (const one of rows) totals.set(one, 60_000);
    places.publish();
    return places.table.version;
  };
  const version = versionAfter(row('a', 10), row('b', 10));
  expect(version).toBe(1);
  expect(versionAfter(row('a', 20), row('b', 30))).toBe(version);
  expect(versionAfter(row('a', 40, 'idle'), row('a', 41))).toBe(version);
  expect(versionAfter(row('a', 42, 'idle'))).toBe(version + 1);
});
