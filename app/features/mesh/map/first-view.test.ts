import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutFor, extentOf, limitsOf, viewOf } from './first-view.ts';
import { project, WORLD, xInWorld } from './mercator.ts';

test('every position lies in what is left of the map, for any panel and window, in one world', () => {
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
      const cut = cutFor(extent);
      const view = viewOf(extent, size, insets);
      const scale = 2 ** view.zoom;
      const centre = { x: (view.lng / 360 + 0.5) * WORLD, y: project(view.lat, 0).y };
      for (const { lat, lng } of positions) {
        const at = project(lat, lng);
        const y = (at.y - centre.y) * scale + size.y / 2;
        expect(y).toBeGreaterThanOrEqual(insets.top);
        expect(y).toBeLessThanOrEqual(size.y - insets.bottom);
        const x = (xInWorld(at.x, cut) - centre.x) * scale + size.x / 2;
        expect(x).toBeGreaterThanOrEqual(insets.left);
        expect(x).toBeLessThanOrEqual(size.x - insets.right);
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

test('the world is cut open at the date line, unless the network lies around it', () => {
  const cutOf = (...lngs: number[]) => {
    const extent = extentOf(lngs.map((lng) => ({ lat: 0, lng })));
    return extent && cutFor(extent);
  };
  expect(cutOf(-122, 2, 139)).toBe(0);
  // A few islands beyond it are no reason to turn the world.
  expect(cutOf(-172, -157, -122, -74, 2, 77, 139, 178)).toBe(0);
  const cut = cutOf(178, -171) ?? 0;
  expect(cut).toBeGreaterThan(project(0, -171).x);
  expect(cut).toBeLessThan(project(0, 178).x);
});

test('the view stays in the world, and shows what the first view shows', () => {
  const world = { left: 0, right: WORLD, top: 60, bottom: 190 };
  const extent = { left: 20, right: 240, top: 80, bottom: 150 };
  const size = { x: 960, y: 656 };
  const insets = { top: 0, right: 0, bottom: 0, left: 0 };
  const view = viewOf(extent, size, insets);
  const limits = limitsOf(world, extent, view.zoom, size, insets);
  const scale = 2 ** view.zoom;
  expect(limits.right - limits.left).toBeGreaterThanOrEqual(size.x / scale - 1e-9);
  expect((limits.top + limits.bottom) / 2).toBeCloseTo(115, 0);
  // Further in it ends with the world, but for the room of a ring.
  const near = limitsOf(world, extent, 6, size, insets);
  expect(near.left).toBeGreaterThan(-1);
  expect(near.top).toBe(60);
});
