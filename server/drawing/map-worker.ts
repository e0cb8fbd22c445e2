import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { feature, mesh } from 'topojson-client';
import { answerRequests } from '#server/common/asked-thread.ts';
import { drawMap, type LocalMap, type Outline, type Outlines } from './local-map.ts';
import type { MapRequest } from './maps.ts';

/** The program of the thread that draws maps. */

/** Degrees of latitude in a picture: as few as show some land, and where it ends. */
const SPANS = [4, 14, 28, 56];
const SOME_LAND = 0.003;
/** From here on a picture may be nothing but land. */
const PLAIN = 14;

const reading = readOutlines();

answerRequests(async ({ frame }: MapRequest) => {
  const outlines = await reading;
  let map: LocalMap | undefined;
  for (const span of SPANS) {
    map = drawMap(outlines, { ...frame, span });
    if (map.landShare >= SOME_LAND && (span >= PLAIN || hasEdges(map))) break;
  }
  return { reply: { map } };
});

/** Whether there is a coast or a border in the picture. */
const hasEdges = ({ borders, landShare }: LocalMap) => borders !== '' || landShare < 1;

type Topology = Parameters<typeof feature>[0];
type Shape = NonNullable<Parameters<typeof mesh>[1]>;

/** Land, borders and countries of Natural Earth, 1:50 million. Takes a tenth of a second and some 3 MB. */
async function readOutlines(): Promise<Outlines> {
  const file = createRequire(import.meta.url).resolve('world-atlas/countries-50m.json');
  const topology = JSON.parse(await readFile(file, 'utf8')) as Topology;
  const shapes = topology.objects as Record<'land' | 'countries', Shape>;
  return {
    land: rings(topology, shapes.land),
    borders: mesh(topology, shapes.countries, (a, b) => a !== b).coordinates.map(outline),
    countries: rings(topology, shapes.countries),
  };
}

/** The outer outlines of areas. */
function rings(topology: Topology, shape: Shape): Outlines['countries'] {
  const found = feature(topology, shape);
  return ('features' in found ? found.features : [found]).flatMap(({ geometry, properties }) => {
    const { name = '' } = (properties ?? {}) as { name?: string };
    const polygons =
      geometry.type === 'MultiPolygon'
        ? geometry.coordinates
        : geometry.type === 'Polygon'
          ? [geometry.coordinates]
          : [];
    return polygons.flatMap(([ring]) => (ring ? [{ ...outline(ring), name }] : []));
  });
}

/** Continues an outline that crosses the date line beyond 180 degrees. Antarctica's runs along the pole. */
function outline(ring: number[][]): Outline {
  const points = new Float32Array(ring.length * 2);
  const box = { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity };
  let previous = ring[0]?.[0] ?? 0;
  let turns = 0;
  ring.forEach(([lng = 0, lat = 0], n) => {
    if (lat > -85 && Math.abs(lng - previous) > 180) turns += lng < previous ? 1 : -1;
    previous = lng;
    const x = lng + turns * 360;
    points[2 * n] = x;
    points[2 * n + 1] = lat;
    box.west = Math.min(box.west, x);
    box.east = Math.max(box.east, x);
    box.south = Math.min(box.south, lat);
    box.north = Math.max(box.north, lat);
  });
  return { points, ...box };
}
