import { expect, test } from 'vitest';
import { readPlace, type PlaceTuple } from '#server/mesh/places.schema.ts';
import { createPlaceFilter } from '../place-filter.ts';
import { rotationTo } from './orientation.ts';
import { collectPoints, describePoint, middleOf, nearestPoint } from './points.ts';

const ALL = { status: [], class: null, region: null };
const collect = (places: PlaceTuple[], filter: Parameters<typeof createPlaceFilter>[0] = ALL) =>
  collectPoints(places.map(readPlace), createPlaceFilter(filter));
const MUNICH: PlaceTuple = [48, 11.5, 'EU', 2, 1];
const AUSTIN: PlaceTuple = [30.5, -98, 'NA', 0, 0, 0, 0, 0, 0, 0, 0, 0, 5];

test('a position has the nodes of all its regions, and the status of most of them', () => {
  const { size, lats, counts, statuses } = collect([AUSTIN, MUNICH, [30.5, -98, 'MX', 1]]);
  expect(size).toBe(2);
  expect([...lats]).toEqual([48, 30.5]);
  expect([...counts]).toEqual([3, 6]);
  // Online and offline, in the order of PEER_STATUSES.
  expect([...statuses]).toEqual([0, 3]);
});

test('only nodes that match the filter count', () => {
  const places = [AUSTIN, MUNICH];
  expect([...collect(places, { ...ALL, region: 'EU' }).lats]).toEqual([48]);
  expect([...collect(places, { ...ALL, status: ['offline'] }).lats]).toEqual([30.5]);
  expect([...collect(places, { ...ALL, class: 'S' }).counts]).toEqual([2, 5]);
  expect(collect(places, { ...ALL, status: ['idle'] }).size).toBe(0);
});

test('a position is described by its nodes that match the filter', () => {
  const places = [AUSTIN, MUNICH, [30.5, -98, 'MX', 0, 1]].map((place) =>
    readPlace(place as PlaceTuple),
  );
  const at = { lat: 30.5, lng: -98 };
  expect(describePoint(places, createPlaceFilter(ALL), at)).toEqual({
    kind: 'marker',
    byStatus: [1, 0, 0, 5],
    size: null,
    regions: [
      ['NA', 5],
      ['MX', 1],
    ],
  });
  const filter = createPlaceFilter({ ...ALL, status: ['online'] });
  expect(describePoint(places, filter, at)).toMatchObject({ size: 'M', regions: [['MX', 1]] });
});

test('the nearest point is on the side that faces the viewer, and within reach', () => {
  const points = collect([
    [0, 10, 'A', 1],
    [0, 170, 'B', 1],
  ]);
  const front = rotationTo({ lat: 0, lng: 0 });
  const x = Math.sin((10 * Math.PI) / 180);
  expect(nearestPoint(points, front, [x + 0.02, 0], 0.05)).toBe(0);
  expect(nearestPoint(points, front, [x + 0.02, 0], 0.01)).toBeNull();
  // Both are at the same distance from the middle of the disc, one of them behind it.
  expect(nearestPoint(points, rotationTo({ lat: 0, lng: 180 }), [-x, 0], 0.05)).toBe(1);
});

test('the middle of the network is where most nodes are, and never close to a pole', () => {
  const across: PlaceTuple[] = [
    [10, 170, 'A', 1],
    [10, -170, 'B', 1],
  ];
  expect(Math.abs(middleOf(collect(across))?.lng ?? 0)).toBeCloseTo(180);
  expect(middleOf(collect([[80, 20, 'A', 1]]))?.lat).toBe(35);
  expect(middleOf(collect([]))).toBeNull();
});
