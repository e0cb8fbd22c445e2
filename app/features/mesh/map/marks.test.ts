import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import { NODE_CLASSES } from '#server/common/values.schema.ts';
import { PEER_STATUSES } from '#server/mesh/values.schema.ts';
import { Marks } from './marks.ts';

/** Plain degrees as px at zoom 0: enough to say what lies near what. */
const project = (lat: number, lng: number) => ({ x: lng, y: -lat });

const peer = (id: string, lat: number, lng: number, more: Partial<Peer> = {}): Peer => ({
  id,
  label: id,
  class: 'S',
  region: 'EU',
  status: 'online',
  role: 'peer',
  joinedAt: '2026-07-17T12:00:00.000Z',
  lastSeen: '2026-07-17T12:00:00.000Z',
  lat,
  lng,
  ...more,
});

const marksOf = (...peers: Peer[]) => {
  const marks = new Marks(project);
  for (const one of peers) marks.set(one);
  return marks;
};

describe('marks of the map', () => {
  test('peers far from each other are single, and named', () => {
    const marks = marksOf(peer('a', 10, 10), peer('b', 50, 100)).at(1);
    expect(marks.map(({ peer }) => peer?.id).sort()).toEqual(['a', 'b']);
  });

  test('peers at one place are one cluster at every zoom, and it names the place', () => {
    const marks = marksOf(peer('a', 48, 11.5), peer('b', 48, 11.5, { status: 'idle' }));
    for (const scale of [1, 32, 512]) {
      const [cluster, ...rest] = marks.at(scale);
      expect(rest).toEqual([]);
      expect(cluster).toMatchObject({ count: 2, peer: null, place: { lat: 48, lng: 11.5 } });
      expect(cluster?.mix).toEqual([1, 0, 1, 0]);
    }
  });

  test('places near each other are one cluster that spans them, and come apart nearer by', () => {
    const marks = marksOf(peer('a', 48, 11), peer('b', 48.5, 11.5));
    expect(marks.at(1)).toHaveLength(1);
    expect(marks.at(1)[0]).toMatchObject({
      place: null,
      bounds: [
        { lat: 48, lng: 11 },
        { lat: 48.5, lng: 11.5 },
      ],
    });
    expect(marks.at(128)).toHaveLength(2);
  });

  test('a peer that moves leaves nothing behind', () => {
    const marks = marksOf(peer('a', 10, 10), peer('b', 10, 10));
    marks.set(peer('a', 60, 150));
    expect(marks.at(1).map(({ count, place }) => [count, place?.lat])).toEqual(
      expect.arrayContaining([
        [1, 10],
        [1, 60],
      ]),
    );
  });

  test('a heartbeat that changes nothing drawn says so', () => {
    const marks = marksOf(peer('a', 10, 10));
    expect(marks.set(peer('a', 10, 10, { lastSeen: '2026-07-17T12:00:20.000Z' }))).toBe(false);
    expect(marks.set(peer('a', 10, 10, { status: 'offline' }))).toBe(true);
  });

  test('what the filter leaves out is neither drawn nor found', () => {
    const marks = marksOf(peer('a', 10, 10), peer('b', 10, 10, { status: 'idle' }));
    marks.filter(({ status }) => status === 'idle');
    expect(marks.at(1).map(({ peer }) => peer?.id)).toEqual(['b']);
    expect(marks.find('a')).toBeUndefined();
    expect(marks.find('b')).toMatchObject({ lat: 10, lng: 10 });
  });

  test('whatever the peers and the zoom: every peer is in exactly one mark, within its bounds', () => {
    const peers = fc.uniqueArray(
      fc.record({
        id: fc.string({ minLength: 1, maxLength: 6 }),
        lat: fc.integer({ min: -160, max: 160 }).map((n) => n / 2),
        lng: fc.integer({ min: -360, max: 360 }).map((n) => n / 2),
        class: fc.constantFrom(...NODE_CLASSES),
        status: fc.constantFrom(...PEER_STATUSES),
      }),
      { selector: ({ id }) => id, maxLength: 200 },
    );
    fc.assert(
      fc.property(peers, fc.constantFrom(0.5, 1, 4, 64), (peers, scale) => {
        const all = peers.map(({ id, lat, lng, ...more }) => peer(id, lat, lng, more));
        const marks = marksOf(...all).at(scale);
        expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
        PEER_STATUSES.forEach((status, index) => {
          const drawn = marks.reduce((sum, { mix }) => sum + (mix[index] ?? 0), 0);
          expect(drawn).toBe(all.filter((one) => one.status === status).length);
        });
        for (const { mix, count } of marks) expect(mix.reduce((a, b) => a + b)).toBe(count);
        for (const one of all)
          expect(
            marks.some(
              ({ bounds: [from, to] }) =>
                from.lat <= one.lat &&
                one.lat <= to.lat &&
                from.lng <= one.lng &&
                one.lng <= to.lng,
            ),
          ).toBe(true);
      }),
    );
  });
});
