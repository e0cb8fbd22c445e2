import { expect, test } from 'vitest';
import { readPlace, type PlaceTuple } from '#server/mesh/places.schema.ts';
import { createPlaceFilter } from '../place-filter.ts';
import { GridPoints } from '../map/grid-points.ts';
import { middleOf, pointsOf } from './points.ts';

const ALL = { status: [], class: [], region: null };
const gridOf = (places: PlaceTuple[], filter: Parameters<typeof createPlaceFilter>[0] = ALL) => {
  const grid = new GridPoints();
  grid.filter(createPlaceFilter(filter));
  grid.replace(places.map(readPlace));
  return grid;
};
const collect = (places: PlaceTuple[], filter: Parameters<typeof createPlaceFilter>[0] = ALL) =>
  pointsOf(gridOf(places, filter).drawn());
const MUNICH: PlaceTuple = [48, 11.5, 'EU', 2, 1];
const AUSTIN: PlaceTuple = [30.5, -98, 'NA', 0, 0, 0, 0, 0, 0, 0, 0, 0, 5];

test('a position has the nodes of all its regions, and is dark where all are offline', () => {
  const points = collect([AUSTIN, MUNICH, [30.5, -98, 'MX', 1]]);
  expect([...points.counts]).toEqual([6, 3]);
  expect([...points.alive]).toEqual([1, 3]);
  expect([...collect([AUSTIN]).alive]).toEqual([0]);
});

test('only nodes that match the filter count', () => {
  const places = [AUSTIN, MUNICH];
  const countsOf = (filter: Parameters<typeof createPlaceFilter>[0]) => [
    ...collect(places, filter).counts,
  ];
  expect(countsOf({ ...ALL, region: 'EU' })).toEqual([3]);
  expect(countsOf({ ...ALL, status: ['offline'] })).toEqual([5]);
  expect(countsOf({ ...ALL, class: ['S'] })).toEqual([5, 2]);
  expect(countsOf({ ...ALL, status: ['idle'] })).toEqual([]);
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
    node: null,
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

test('the middle of the network is where most nodes are, and never close to a pole', () => {
  const across: PlaceTuple[] = [
    [10, 170, 'A', 1],
    [10, -170, 'B', 1],
  ];
  expect(Math.abs(middleOf(collect(across))?.lng ?? 0)).toBeCloseTo(180);
  expect(middleOf(collect([[80, 20, 'A', 1]]))?.lat).toBe(35);
  expect(middleOf(collect([]))).toBeNull();
});
