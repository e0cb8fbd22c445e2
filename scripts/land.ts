import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { feature } from 'topojson-client';

/**
 * `npx tsx scripts/land.ts` generates app/features/mesh/land.svg, the outlines of the land (Natural Earth,
 * 1:110 million) of which pages show the part around a location. North is up; a unit is 0.1 degrees.
 */

type Topology = Parameters<typeof feature>[0];

const UNITS_PER_DEGREE = 10;
const OUTPUT = join(import.meta.dirname, '..', 'app', 'features', 'mesh', 'land.svg');

function readRings(): number[][][] {
  const topology = createRequire(import.meta.url)('world-atlas/land-110m.json') as Topology;
  const land = topology.objects['land'];
  if (!land) throw new Error('world-atlas has no land');
  const collection = feature(topology, land);
  const features = 'features' in collection ? collection.features : [collection];
  return features.flatMap(({ geometry }) => {
    if (geometry.type === 'MultiPolygon') return geometry.coordinates.flat();
    return geometry.type === 'Polygon' ? geometry.coordinates : [];
  });
}

/** SVG path data of one outline, with relative coordinates to keep the file small. */
function path(ring: number[][]): string {
  const points = unwrap(ring).map(({ lng, lat }) => ({
    x: Math.round(lng * UNITS_PER_DEGREE),
    y: Math.round(-lat * UNITS_PER_DEGREE),
  }));
  let last = points[0] ?? { x: 0, y: 0 };
  let data = `M${last.x} ${last.y}l`;
  for (const { x, y } of points.slice(1)) {
    const [dx, dy] = [x - last.x, y - last.y];
    if (dx === 0 && dy === 0) continue;
    data += `${data.endsWith('l') || dx < 0 ? '' : ' '}${dx}${dy < 0 ? '' : ' '}${dy}`;
    last = { x, y };
  }
  return `${data}z`;
}

/** Continues an outline that crosses the date line beyond 180 degrees. Antarctica's runs along the pole. */
function unwrap(ring: number[][]): { lng: number; lat: number }[] {
  let previous = ring[0]?.[0] ?? 0;
  let turns = 0;
  return ring.map(([lng = 0, lat = 0]) => {
    if (lat > -85 && Math.abs(lng - previous) > 180) turns += lng < previous ? 1 : -1;
    previous = lng;
    return { lng: lng + turns * 360, lat };
  });
}

writeFileSync(
  OUTPUT,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1800 -900 3600 1800"><path id="land" vector-effect="non-scaling-stroke" d="${readRings().map(path).join('')}"/></svg>\n`,
);
