import { expect, test } from 'vitest';
import type { Names } from './geography.ts';
import { placeLabels, type Label } from './labels.ts';
import namesFile from './geography/names.json';
import { project, WORLD } from './mercator.ts';

const names = namesFile as unknown as Names;
const HEIGHT = 14;
const widthOf = (_: unknown, text: string) => text.length * 7;

/** A canvas of 1000 by 800 CSS px with this point in its middle. */
function viewAt(lat: number, lng: number, zoom: number) {
  const scale = 2 ** zoom;
  const { x, y } = project(lat, lng);
  return {
    ...{ scale, x: x * scale - 500, y: y * scale - 400 },
    ...{ width: 1000, height: 800, ratio: 1, cut: 0 },
  };
}
const rectOf = ({ kind, text, x, y }: Label) => {
  const half = widthOf(kind, text) / 2;
  return { left: x - half, right: x + half, top: y - HEIGHT / 2, bottom: y + HEIGHT / 2 };
};

test('no name overlaps another one or a marker, at any zoom', () => {
  // A marker every 90 px, as densely as clusters lie.
  const markers = Array.from({ length: 12 * 9 }, (_, n) => [
    (n % 12) * 90,
    (n / 12) * 90,
    18,
  ]).flat();
  for (let zoom = 3; zoom <= 8; zoom++) {
    const placed = placeLabels(names, viewAt(48, 11, zoom), markers, widthOf).map(rectOf);
    expect(placed.length).toBeGreaterThan(2);
    placed.forEach((a, index) => {
      for (const b of placed.slice(index + 1))
        expect(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).toBe(
          false,
        );
      for (let at = 0; at < markers.length; at += 3) {
        const [x = 0, y = 0, radius = 0] = markers.slice(at, at + 3);
        const dx = x - Math.max(a.left, Math.min(x, a.right));
        const dy = y - Math.max(a.top, Math.min(y, a.bottom));
        expect(Math.hypot(dx, dy)).toBeGreaterThanOrEqual(radius);
      }
    });
  }
});

test('the further in, the more names: countries and seas first, then cities', () => {
  const texts = (zoom: number) =>
    placeLabels(names, viewAt(48, 11, zoom), [], widthOf).map(({ text }) => text);
  expect(new Set(texts(2))).toEqual(new Set(['Pacific Ocean', 'Atlantic Ocean', 'Indian Ocean']));
  expect(texts(4)).toEqual(expect.arrayContaining(['Spain', 'Poland', 'Mediterranean Sea']));
  expect(texts(4)).not.toContain('Munich');
  expect(texts(6)).toEqual(expect.arrayContaining(['Germany', 'Munich', 'Vienna']));
});

test('the name of a city lies beside the marker that hides the city', () => {
  const munich = {
    ...names,
    countries: [],
    waters: [],
    cities: [['Munich', 11.58, 48.13, 4] as const],
  };
  const view = viewAt(48.13, 11.58, 6);
  const [alone] = placeLabels(munich, view, [], widthOf);
  expect(alone?.dot?.x).toBeCloseTo(500);
  const [beside] = placeLabels(munich, view, [505, 400, 20], widthOf);
  expect(beside).toMatchObject({ text: 'Munich', dot: null });
  expect(beside && rectOf(beside).left).toBeGreaterThan(525);
});

test('names are in English, and drawn once: across the date line where the world is cut open elsewhere', () => {
  const all = [...names.countries, ...names.waters, ...names.cities];
  for (const [, lng, lat, zoom] of all) {
    expect(Math.abs(lng)).toBeLessThanOrEqual(180);
    expect(Math.abs(lat)).toBeLessThan(85);
    expect(zoom).toBeGreaterThanOrEqual(2);
  }
  const known = new Set(all.map(([name]) => name));
  for (const name of ['Germany', 'DR Congo', 'Copenhagen', 'Baltic Sea', 'Lake Victoria'])
    expect(known).toContain(name);
  const xs = (cut: number) =>
    placeLabels(names, { ...viewAt(0, 180, 4), cut }, [], widthOf).map(({ x }) => x);
  expect(Math.max(...xs(0))).toBeLessThan(500 + 120);
  expect(Math.max(...xs(WORLD / 2))).toBeGreaterThan(700);
});
