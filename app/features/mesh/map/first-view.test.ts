import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extentOf, viewOf } from './first-view.ts';
import { project, WORLD } from './mercator.ts';

test('every position lies in what is left of the map, for any panel and window', () => {
  const positions = fc.array(
    fc.record({
      lat: fc.integer({ min: -70, max: 80 }),
      lng: fc.integer({ min: -180, max: 179 }),
    }),
    { minLength: 1, maxLength: 30 },
  );
  const window = fc.constantFrom(
    { size: { x: 1440, y: 844 }, insets: { top: 0, right: 0, bottom: 0, left: 360 } },
    { size: { x: 768, y: 968 }, insets: { top: 0, right: 0, bottom: 0, left: 360 } },
    { size: { x: 390, y: 788 }, insets: { top: 0, right: 0, bottom: 164, left: 0 } },
  );
  fc.assert(
    fc.property(positions, window, (positions, { size, insets }) => {
      const extent = extentOf(positions);
      if (!extent) throw new Error('There are positions.');
      expect(extent.right - extent.left).toBeLessThan(WORLD);
      const view = viewOf(extent, size, insets);
      const scale = 2 ** view.zoom;
      const centre = project(view.lat, view.lng);
      for (const { lat, lng } of positions) {
        const at = project(lat, lng);
        const y = (at.y - centre.y) * scale + size.y / 2;
        expect(y).toBeGreaterThanOrEqual(insets.top);
        expect(y).toBeLessThanOrEqual(size.y - insets.bottom);
        // In one of the copies of the world.
        const xs = [-2, -1, 0, 1, 2].map(
          (turn) => (at.x + turn * WORLD - centre.x) * scale + size.x / 2,
        );
        expect(xs.some((x) => x >= insets.left && x <= size.x - insets.right)).toBe(true);
      }
    }),
  );
});

test('a network on both sides of the date line is not torn apart', () => {
  const extent = extentOf([
    { lat: -17, lng: 178 },
    { lat: -14, lng: -171 },
  ]);
  expect(extent && extent.right - extent.left).toBeCloseTo((11 / 360) * WORLD);
});
