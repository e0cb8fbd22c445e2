import { expect, test } from 'vitest';
import { readPlace, type PlaceTuple } from '#server/mesh/places.schema.ts';
import { createPlaceFilter } from '../place-filter.ts';
import { GridPoints } from '../map/grid-points.ts';
import { rotationTo } from './orientation.ts';
import { middleOf, nearestPoint, pointsOf, type Points } from './points.ts';

const ALL = { status: [], class: null, region: null };
const gridOf = (places: PlaceTuple[], filter: Parameters<typeof createPlaceFilter>[0] = ALL) => {
  const grid = new GridPoints();
  grid.filter(createPlaceFilter(filter));
  grid.replace(places.map(readPlace));
  return grid;
};
const latsOf = (points: Points) => points.all.map(({ lat }) => lat);
const collect = (places: PlaceTuple[], filter: Parameters<typeof createPlaceFilter>[0] = ALL) =>
  pointsOf(gridOf(places, filter).drawn());
const MUNICH: PlaceTuple = [48, 11.5, 'EU', 2, 1];
const AUSTIN: PlaceTuple = [30.5, -98, 'NA', 0, 0, 0, 0, 0, 0, 0, 0, 0, 5];

test('a position has the nodes of all its regions, and the status of most of them', () => {
  const points = collect([AUSTIN, MUNICH, [30.5, -98, 'MX', 1]]);
  expect(latsOf(points)).toEqual([48, 30.5]);
  expect([...points.counts]).toEqual([3, 6]);
  // Online and offline, in the order of PEER_STATUSES.
  expect([...points.statuses]).toEqual([0, 3]);
});

test('only nodes that match the filter count', () => {
  const places = [AUSTIN, MUNICH];
  expect(latsOf(collect(places, { ...ALL, region: 'EU' }))).toEqual([48]);
  expect(latsOf(collect(places, { ...ALL, status: ['offline'] }))).toEqual([30.5]);
  expect([...collect(places, { ...ALL, class: 'S' }).counts]).toEqual([2, 5]);
  expect(latsOf(collect(places, { ...ALL, status: ['idle'] }))).toEqual([]);
});

test('a position is described by its nodes that match the filter', () => {
  const describeAustin = (filter?: Parameters<typeof createPlaceFilter>[0]) => {
    const grid = gridOf([AUSTIN, MUNICH, [30.5, -98, 'MX', 0, 1]], filter);
    const point = [...grid.drawn()].find(({ lat, lng }) => lat === 30.5 && lng === -98);
    return point && grid.describe({ ...point.drawn, points: [point] });
  };
  expect(describeAustin()).toEqual({
    kind: 'marker',
    byStatus: [1, 0, 0, 5],
    size: null,
    regions: [
      ['NA', 5],
      ['MX', 1],
    ],
  });
  expect(describeAustin({ ...ALL, status: ['online'] })).toMatchObject({
    size: 'M',
    regions: [['MX', 1]],
  });
});

test('the nearest point is on the side that faces the viewer, and within reach', () => {
  const points = collect([
    [0, 10, 'A', 1],
    [0, 170, 'B', 1],
  ]);
  const front = rotationTo({ lat: 0, lng: 0 });
  const x = Math.sin((10 * Math.PI) / 180);
  expect(nearestPoint(points, front, [x + 0.02, 0], 0.05)).toMatchObject({ lng: 10 });
  expect(nearestPoint(points, front, [x + 0.02, 0], 0.01)).toBeNull();
  // Both are at the same distance from the middle of the disc, one of them behind it.
  expect(nearestPoint(points, rotationTo({ lat: 0, lng: 180 }), [-x, 0], 0.05)).toMatchObject({
    lng: 170,
  });
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
