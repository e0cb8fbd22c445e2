import { afterAll, expect, test } from 'vitest';
import { createMaps, type LocalMap } from './maps.ts';

const errors: unknown[] = [];
const maps = createMaps({ onError: (error) => errors.push(error) });
afterAll(() => maps.stop());
const FRAME = { width: 560, height: 340, x: 280, y: 170 };
async function around(lat: number, lng: number): Promise<LocalMap> {
  const map = await maps.around({ lat, lng, ...FRAME });
  expect(errors).toEqual([]);
  return map as LocalMap;
}

/** The points of path data in whole units. */
function points(path: string): [x: number, y: number][] {
  const found: [number, number][] = [];
  for (const part of path.split('M').slice(1)) {
    const numbers = (part.match(/-?\d+/g) ?? []).map(Number);
    let [x, y] = [0, 0];
    for (let n = 0; n < numbers.length; n += 2) {
      x += numbers[n] ?? 0;
      y += numbers[n + 1] ?? 0;
      found.push([x, y]);
    }
  }
  return found;
}

test.each([
  [52.5, 13.5, 'Germany'],
  [-18, 178.5, 'Fiji'],
  [-18, -179.5, 'Fiji'],
  [64, -22, 'Iceland'],
  [-77.5, 166.5, 'Antarctica'],
  [37.5, -122.5, 'United States of America'],
])('around %d, %d there is %s, in the picture and in few bytes', async (lat, lng, country) => {
  const map = await around(lat, lng);
  expect(map.countries.map(({ name }) => name)).toContain(country);
  expect(map.landShare).toBeGreaterThan(0);
  expect(map.land.length + map.borders.length).toBeLessThan(14_000);
  const all = points(map.land);
  expect(all.length).toBeGreaterThan(5);
  for (const [x, y] of all) {
    expect(x).toBeGreaterThanOrEqual(-6);
    expect(x).toBeLessThanOrEqual(566);
    expect(y).toBeGreaterThanOrEqual(-6);
    expect(y).toBeLessThanOrEqual(346);
  }
});

test('names are apart from each other and from the place', async () => {
  for (const [lat, lng] of [
    [48, 17],
    [51.5, -0.5],
    [1, 103.5],
    [10, 0],
  ] as const) {
    const { countries, x, y } = await around(lat, lng);
    countries.forEach((one, n) => {
      expect(Math.hypot(one.x - x, one.y - y)).toBeGreaterThan(15);
      for (const other of countries.slice(n + 1))
        expect(Math.abs(one.x - other.x) > 30 || Math.abs(one.y - other.y) > 13).toBe(true);
    });
  }
});

test('where there is no land near, more of the world is shown', async () => {
  const [city, ocean] = [await around(48, 17), await around(-40, -120)];
  expect(ocean.down).toBeLessThan(city.down);
  // Again it is the same object.
  expect(await around(48, 17)).toBe(city);
});

test('a map that cannot be drawn is left out, and the next one is drawn', async () => {
  const lost = maps.around({ lat: 1, lng: 1, ...FRAME });
  await maps.stop();
  expect(await lost).toBeNull();
  expect(errors.splice(0)).toHaveLength(1);
  expect((await around(1, 1)).landShare).toBeGreaterThan(0);
});
