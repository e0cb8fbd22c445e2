import { expect, test } from 'vitest';
import { densityOf } from './density.ts';

const sum = (values: Float32Array) => values.reduce((total, value) => total + value, 0);

test('a place spreads evenly over its surroundings, and its weight stays the same', () => {
  const density = densityOf([{ column: 10, row: 8, weight: 2 }], 21, 17, 2);
  expect(sum(density)).toBeCloseTo(2, 4);
  const at = (column: number, row: number) => density[row * 21 + column] as number;
  expect(Math.max(...density)).toBeCloseTo(at(10, 8));
  expect(at(7, 8)).toBeCloseTo(at(13, 8));
  expect(at(10, 5)).toBeCloseTo(at(10, 11));
  expect(at(7, 8)).toBeCloseTo(at(10, 5));
  expect(at(0, 0)).toBe(0);
});

test('what lies outside the map does not count', () => {
  const outside = [
    { column: -1, row: 0, weight: 1 },
    { column: 0, row: 5, weight: 1 },
    { column: 5, row: 0, weight: 1 },
  ];
  expect(sum(densityOf(outside, 5, 5, 1))).toBe(0);
});
