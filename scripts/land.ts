import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { feature } from 'topojson-client';

/**
 * `npx tsx scripts/land.ts`: draws the outlines of the land (Natural Earth, 1:110 million) into
 * app/features/mesh/land.svg, one unit a tenth of a degree, north up. Pages show a part of it around a place.
 */

type Topology = Parameters<typeof feature>[0];

const topology = createRequire(import.meta.url)('world-atlas/land-110m.json') as Topology;
/** Units in a degree: whole numbers, and at the scale of the pages a pixel or so. */
const UNITS = 10;

const land = topology.objects['land'];
if (!land) throw new Error('world-atlas has no land');
const collection = feature(topology, land);
const rings = ('features' in collection ? collection.features : [collection]).flatMap(
  ({ geometry }) =>
    geometry.type === 'MultiPolygon'
      ? geometry.coordinates.flat()
      : geometry.type === 'Polygon'
        ? geometry.coordinates
        : [],
);

/** An outline that crosses the date line goes on beyond 180 degrees; Antarctica's follows the pole instead. */
function path(ring: number[][]): string {
  let before = ring[0]?.[0] ?? 0;
  let turns = 0;
  const points = ring.map(([lng = 0, lat = 0]) => {
    if (lat > -85 && Math.abs(lng - before) > 180) turns += lng < before ? 1 : -1;
    before = lng;
    return { x: Math.round((lng + turns * 360) * UNITS), y: Math.round(-lat * UNITS) };
  });
  let last = points[0] ?? { x: 0, y: 0 };
  let drawn = `M${last.x} ${last.y}l`;
  for (const { x, y } of points.slice(1)) {
    const [dx, dy] = [x - last.x, y - last.y];
    if (dx === 0 && dy === 0) continue;
    drawn += `${drawn.endsWith('l') || dx < 0 ? '' : ' '}${dx}${dy < 0 ? '' : ' '}${dy}`;
    last = { x, y };
  }
  return `${drawn}z`;
}

const file = join(import.meta.dirname, '..', 'app', 'features', 'mesh', 'land.svg');
writeFileSync(
  file,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1800 -900 3600 1800"><path id="land" vector-effect="non-scaling-stroke" d="${rings.map(path).join('')}"/></svg>\n`,
);
