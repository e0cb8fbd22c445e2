import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { quantize } from './mesh.schema.ts';

const grid = fc.oneof(
  fc.constantFrom(0.1, 0.25, 0.5, 1, 2.5, 5, 30),
  fc.double({ min: 0.1, max: 30, noNaN: true }).map((value) => Number(value.toFixed(3))),
);
const number = (bound: number) =>
  fc.oneof(
    fc.double({ min: -bound, max: bound, noNaN: true }),
    fc.constantFrom(-bound, bound, 0, -0, bound - 1e-9, 1e-9 - bound, 0.25, -0.25),
  );
const position = fc.record({ lat: number(90), lng: number(180), grid });
/** Grid points have six decimals. */
const NOISE = 1e-6;

describe('quantization', () => {
  const check = (holds: (args: { lat: number; lng: number; grid: number }) => void) =>
    fc.assert(fc.property(position, holds), { numRuns: rounds(5000) });

  it('returns a grid point on the map, never -0', () => {
    check(({ lat, lng, grid }) => {
      const point = quantize(lat, lng, grid);
      for (const value of [point.lat, point.lng]) {
        const steps = value / grid;
        expect(Math.abs(steps - Math.round(steps)) * grid).toBeLessThanOrEqual(NOISE);
        expect(Object.is(value, -0)).toBe(false);
        expect(JSON.stringify(value)).not.toContain('e');
      }
      expect(Math.abs(point.lat)).toBeLessThanOrEqual(90);
      expect(point.lng).toBeGreaterThanOrEqual(-180);
      expect(point.lng).toBeLessThan(180);
    });
  });

  it('leaves a grid point unchanged', () => {
    check(({ lat, lng, grid }) => {
      const point = quantize(lat, lng, grid);
      expect(quantize(point.lat, point.lng, grid)).toEqual(point);
    });
  });

  it('moves a position by at most half a step, except at the edge of the map', () => {
    check(({ lat, lng, grid }) => {
      const point = quantize(lat, lng, grid);
      const half = grid / 2 + NOISE;
      const lastLat = Math.floor(90 / grid + NOISE) * grid;
      if (Math.abs(lat) <= lastLat + half)
        expect(Math.abs(point.lat - lat)).toBeLessThanOrEqual(half);
      else expect(Math.abs(point.lat)).toBeCloseTo(lastLat, 5);
      const lastLng = Math.floor(180 / grid + NOISE) * grid;
      const apart = Math.abs(point.lng - lng);
      const around = Math.min(apart, 360 - apart);
      if (Math.abs(lng) <= lastLng + half) expect(around).toBeLessThanOrEqual(half);
      else expect(Math.abs(point.lng)).toBeCloseTo(lastLng, 5);
    });
  });

  it('treats longitudes 180 and -180 as the same on every grid', () => {
    check(({ lat, grid }) => {
      expect(quantize(lat, 180, grid)).toEqual(quantize(lat, -180, grid));
    });
  });

  it('rounds San Francisco as documented', () => {
    expect(quantize(37.7, -122.4, 0.5)).toEqual({ lat: 37.5, lng: -122.5 });
  });
});
