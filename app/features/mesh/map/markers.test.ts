import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import {
  NODE_CLASSES,
  type NodeClass,
  PEER_STATUSES,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import { CELLS, cellOf, placeId, type Place } from '#server/mesh/places.schema.ts';
import { createPlaceFilter } from '../place-filter.ts';
import { ICONS } from './grid-points.ts';
import { Markers, separatingZoom } from './markers.ts';
import type { Box } from './mercator.ts';

const WORLD: Box = { left: 0, right: 256, top: 0, bottom: 256 };
/** With rings that make room beyond its edges. */
const BEYOND: Box = { left: -99, right: 355, top: -99, bottom: 355 };

interface Nodes {
  status?: PeerStatus;
  class?: NodeClass;
  count?: number;
}

const place = (lat: number, lng: number, nodes: Nodes[] = [{}], region = 'EU'): Place => {
  const counts = CELLS.map(() => 0);
  for (const { status = 'online', class: size = 'S', count = 1 } of nodes) {
    const cell = cellOf(status, size);
    counts[cell] = (counts[cell] ?? 0) + count;
  }
  return { id: placeId({ lat, lng, region }), lat, lng, region, counts };
};

const markersOf = (...places: Place[]) => {
  const markers = new Markers();
  markers.replace(places);
  return markers;
};

const iconOf = (status: PeerStatus, size: NodeClass) =>
  ICONS.findIndex((icon) => icon.status === status && icon.size === size);

describe('markers of the map', () => {
  test.each([0.1, 0.5, 1, 5])(
    'neighbouring points of a grid of %s° are apart at the zoom at which the map ends, and not much sooner',
    (grid) => {
      const markers = markersOf(place(0, 0), place(0, grid));
      const zoom = separatingZoom(grid);
      const [a, b, ...more] = markers.within(WORLD, 2 ** zoom);
      expect(more).toEqual([]);
      // A finger hits either.
      expect(Math.abs((a?.x ?? 0) - (b?.x ?? 0)) * 2 ** zoom).toBeGreaterThanOrEqual(44);
      expect(markers.within(WORLD, 2 ** (zoom - 1))).toHaveLength(1);
    },
  );

  test('single nodes far apart have the icon of their status and class', () => {
    const markers = markersOf(
      place(10, 10),
      place(50, 100, [{ status: 'offline', class: 'L' }]),
    ).within(WORLD, 1);
    expect(new Map(markers.map(({ icon, gridPoint }) => [gridPoint?.lng, icon]))).toEqual(
      new Map([
        [10, iconOf('online', 'S')],
        [100, iconOf('offline', 'L')],
      ]),
    );
  });

  test('nodes at one grid point are one cluster at every zoom, with that grid point', () => {
    const markers = markersOf(
      place(48, 11.5, [{ count: 2 }]),
      place(48, 11.5, [{ status: 'idle' }], 'DE'),
    );
    for (const scale of [1, 1.19, 32, 512]) {
      const [cluster, ...rest] = markers.within(WORLD, scale);
      expect(rest).toEqual([]);
      expect(cluster).toMatchObject({
        total: 3,
        count: 3,
        icon: null,
        gridPoint: { lat: 48, lng: 11.5 },
      });
      expect(cluster?.byStatus).toEqual([2, 0, 1, 0]);
    }
  });

  test('close grid points are one cluster with their bounds, and separate when zoomed in', () => {
    const markers = markersOf(place(48, 11), place(48.5, 11.5, [{ count: 2 }]));
    const clusters = markers.within(WORLD, 1);
    expect(clusters).toHaveLength(1);
    expect(clusters[0]).toMatchObject({
      count: 3,
      gridPoint: null,
      bounds: [
        { lat: 48, lng: 11 },
        { lat: 48.5, lng: 11.5 },
      ],
    });
    expect(markers.within(WORLD, 128)).toHaveLength(2);
  });

  test('only what is within the box is found, in the one world', () => {
    const markers = markersOf(place(0, -178), place(0, 100), place(0, 178));
    const lngs = (left: number, right: number) =>
      markers
        .within({ left, right, top: 0, bottom: 256 }, 64)
        .map(({ gridPoint }) => gridPoint?.lng)
        .sort();
    expect(lngs(190, 210)).toEqual([100]);
    expect(lngs(190 + 256, 210 + 256)).toEqual([]);
    expect(lngs(250, 262)).toEqual([178]);
    expect(lngs(-6, 6)).toEqual([-178]);
    expect(lngs(-100, 300)).toEqual([-178, 100, 178]);
  });

  test('nodes on both sides of the date line share a ring where the world is cut open elsewhere', () => {
    const markers = markersOf(place(-17, 179), place(-16, -179, [{ count: 3 }]));
    expect(markers.within(WORLD, 4)).toHaveLength(2);
    markers.cutAt(128);
    const [ring, ...more] = markers.within({ ...WORLD, left: 128, right: 384 }, 4);
    expect(more).toEqual([]);
    expect(ring).toMatchObject({ total: 4 });
    expect(ring?.x).toBeGreaterThan(255);
    expect(ring?.x).toBeLessThan(257);
    expect(ring?.bounds.map(({ lng }) => lng)).toEqual([179, 181]);
  });

  test('made in steps they are the same, and other states of the same nodes leave them as they are', () => {
    const markers = markersOf(place(10, 10, [{ count: 3 }]), place(12, 12), place(60, 60));
    for (const _ of markers.prepare(4));
    const { generation } = markers;
    const stepwise = markers.within(WORLD, 4);
    expect(stepwise).toEqual(
      markersOf(place(10, 10, [{ count: 3 }]), place(12, 12), place(60, 60)).within(WORLD, 4),
    );
    markers.set(place(60, 60, [{ status: 'offline' }]));
    expect(markers.generation).toBe(generation);
    expect(markers.within(WORLD, 4)[0]).toMatchObject({ byStatus: [0, 0, 0, 1] });
    markers.set(place(60, 60, [{ count: 2 }]));
    expect(markers.generation).toBeGreaterThan(generation);
  });

  test('a change that doesn’t change the drawing is reported as such', () => {
    const markers = markersOf(place(10, 10));
    expect(markers.set(place(10, 10))).toBe(false);
    expect(markers.set(place(10, 10, [{ status: 'offline' }]))).toBe(true);
    expect(markers.set(place(10, 10, [{ status: 'offline' }]))).toBe(false);
    expect(markers.set(place(10, 10))).toBe(true);
  });

  test('a filter dims nodes of another status, class and region, and their pulses are not shown', () => {
    const markers = markersOf(
      place(10, 10, [{ count: 5 }, { status: 'idle', class: 'L' }]),
      place(10, 10, [{ status: 'idle', class: 'L' }], 'NA'),
      place(60, 60),
    );
    markers.filter(createPlaceFilter({ status: ['idle'], class: ['L'], region: 'NA' }));
    expect(markers.within(WORLD, 1)).toMatchObject([
      { count: 0, total: 1, icon: iconOf('online', 'S'), dimmed: [1, 0, 0, 0] },
      { count: 1, total: 7, icon: null, byStatus: [0, 0, 1, 0], dimmed: [5, 0, 1, 0] },
    ]);
    const idle = cellOf('idle', 'L');
    expect(markers.shows([10, 10, 'NA', idle])).toBe(true);
    expect(markers.shows([10, 10, 'EU', idle])).toBe(false);
    expect(markers.shows([10, 10, 'NA', cellOf('online', 'L')])).toBe(false);
    expect(markers.shows([11, 10, 'NA', idle])).toBe(false);
  });

  test('where only matches are shown, what the filter excludes is not there', () => {
    const markers = new Markers();
    const filter = createPlaceFilter({ status: ['idle'], class: [], region: null });
    const places = [place(10, 10, [{ count: 5 }, { status: 'idle', class: 'L' }]), place(60, 60)];
    markers.show({ filter, places, matchesOnly: true }, { rows: () => [] });
    expect(markers.within(WORLD, 1)).toMatchObject([
      { count: 1, total: 1, icon: iconOf('idle', 'L') },
    ]);
  });

  test('for any places and any zoom, every node is in exactly one marker, within its bounds', () => {
    const places = fc.uniqueArray(
      fc.record({
        lat: fc.integer({ min: -160, max: 160 }).map((n) => n / 2),
        lng: fc.integer({ min: -360, max: 359 }).map((n) => n / 2),
        region: fc.constantFrom('EU', 'NA'),
        nodes: fc.array(
          fc.record({
            class: fc.constantFrom(...NODE_CLASSES),
            status: fc.constantFrom(...PEER_STATUSES),
            count: fc.integer({ min: 1, max: 2000 }),
          }),
          { minLength: 1, maxLength: 3 },
        ),
      }),
      { selector: placeId, maxLength: 200 },
    );
    fc.assert(
      fc.property(places, fc.constantFrom(0.5, 1, 1.19, 4, 64), (places, scale) => {
        const all = places.map(({ lat, lng, region, nodes }) => place(lat, lng, nodes, region));
        const markers = markersOf(...all).within(BEYOND, scale);
        const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
        PEER_STATUSES.forEach((status, index) => {
          const drawn = sum(markers.map(({ byStatus }) => byStatus[index] ?? 0));
          const there = all.flatMap(({ counts }) =>
            counts.filter((_, cell) => CELLS[cell]?.status === status),
          );
          expect(drawn).toBe(sum(there));
        });
        for (const { byStatus, count } of markers) expect(sum(byStatus)).toBe(count);
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
