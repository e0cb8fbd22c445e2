import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import { NODE_CLASSES } from '#server/common/values.schema.ts';
import { PEER_STATUSES } from '#server/mesh/values.schema.ts';
import { Markers } from './markers.ts';

/** Degrees as px at zoom 0, so that distances are easy to state. */
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

const markersOf = (...peers: Peer[]) => {
  const markers = new Markers(project);
  for (const one of peers) markers.set(one);
  return markers;
};

describe('markers of the map', () => {
  test('nodes far apart are single markers with their ids', () => {
    const markers = markersOf(peer('a', 10, 10), peer('b', 50, 100)).at(1);
    expect(markers.map(({ peer }) => peer?.id).sort()).toEqual(['a', 'b']);
  });

  test('nodes at one grid point are one cluster at every zoom, with that grid point', () => {
    const markers = markersOf(peer('a', 48, 11.5), peer('b', 48, 11.5, { status: 'idle' }));
    for (const scale of [1, 32, 512]) {
      const [cluster, ...rest] = markers.at(scale);
      expect(rest).toEqual([]);
      expect(cluster).toMatchObject({ count: 2, peer: null, gridPoint: { lat: 48, lng: 11.5 } });
      expect(cluster?.byStatus).toEqual([1, 0, 1, 0]);
    }
  });

  test('close grid points are one cluster with their bounds, and separate when zoomed in', () => {
    const markers = markersOf(peer('a', 48, 11), peer('b', 48.5, 11.5));
    expect(markers.at(1)).toHaveLength(1);
    expect(markers.at(1)[0]).toMatchObject({
      gridPoint: null,
      bounds: [
        { lat: 48, lng: 11 },
        { lat: 48.5, lng: 11.5 },
      ],
    });
    expect(markers.at(128)).toHaveLength(2);
  });

  test('a node that moves leaves nothing behind', () => {
    const markers = markersOf(peer('a', 10, 10), peer('b', 10, 10));
    markers.set(peer('a', 60, 150));
    expect(markers.at(1).map(({ count, gridPoint }) => [count, gridPoint?.lat])).toEqual(
      expect.arrayContaining([
        [1, 10],
        [1, 60],
      ]),
    );
  });

  test('a heartbeat that doesn’t change the drawing is reported as such', () => {
    const markers = markersOf(peer('a', 10, 10));
    expect(markers.set(peer('a', 10, 10, { lastSeen: '2026-07-17T12:00:20.000Z' }))).toBe(false);
    expect(markers.set(peer('a', 10, 10, { status: 'offline' }))).toBe(true);
  });

  test('a node that is filtered out is neither drawn nor found', () => {
    const markers = markersOf(peer('a', 10, 10), peer('b', 10, 10, { status: 'idle' }));
    markers.filter(({ status }) => status === 'idle');
    expect(markers.at(1).map(({ peer }) => peer?.id)).toEqual(['b']);
    expect(markers.find('a')).toBeUndefined();
    expect(markers.find('b')).toMatchObject({ lat: 10, lng: 10 });
  });

  test('for any nodes and any zoom, every node is in exactly one marker, within its bounds', () => {
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
        const markers = markersOf(...all).at(scale);
        expect(markers.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
        PEER_STATUSES.forEach((status, index) => {
          const drawn = markers.reduce((sum, { byStatus }) => sum + (byStatus[index] ?? 0), 0);
          expect(drawn).toBe(all.filter((one) => one.status === status).length);
        });
        for (const { byStatus, count } of markers)
          expect(byStatus.reduce((a, b) => a + b)).toBe(count);
        for (const one of all)
          expect(
            markers.some(
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
