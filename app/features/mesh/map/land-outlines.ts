import { feature } from 'topojson-client';
import type { Lines } from './geography.ts';
import { project, type Box } from './mercator.ts';

export type Topology = Parameters<typeof feature>[0];

/** The map ends at this latitude in the south. */
const POLE = -85;

/** What is drawn of one piece of land, lake or line, and where, px at zoom 0. */
export interface Outline {
  /** What is filled. */
  area: Path2D;
  /** What is stroked. It differs from the area where the edge of the map cuts it. */
  coast: Path2D;
  box: Box;
}

/** One outline per piece of land. */
export function landOutlines(topology: Topology): Outline[] {
  const land = topology.objects['land'];
  if (!land) return [];
  const collection = feature(topology, land);
  const features = 'features' in collection ? collection.features : [collection];
  return features.flatMap(({ geometry }) => {
    if (geometry.type === 'MultiPolygon') return geometry.coordinates.map(outline);
    return geometry.type === 'Polygon' ? [outline(geometry.coordinates)] : [];
  });
}

/** The outlines of areas of several lines each. */
export const areaOutlines = (units: number, areas: Lines[]): Outline[] =>
  areas.map((lines) => outline(lines.map((line) => positionsOf(line, units))));

export const lineOutlines = (units: number, lines: Lines): Outline[] =>
  lines.map((line) => outline([positionsOf(line, units)]));

/** Longitude and latitude of each point of a line, degrees. */
export function positionsOf(steps: number[], units: number): number[][] {
  const positions: number[][] = [];
  let [lng, lat] = [0, 0];
  for (let at = 0; at + 1 < steps.length; at += 2) {
    lng += steps[at] as number;
    lat += steps[at + 1] as number;
    positions.push([lng / units, lat / units]);
  }
  return positions;
}

/** A piece of land with its lakes, a lake with its islands, or a line. */
function outline(rings: number[][][]): Outline {
  const area = new Path2D();
  const coast = new Path2D();
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const ring of rings) {
    let previousLng = ring[0]?.[0] ?? 0;
    let turns = 0;
    ring.forEach(([lng = 0, lat = 0], index) => {
      // An outline that crosses the date line continues into the next world. Antarctica's outline runs
      // along the pole from one edge of the map to the other, which is neither a crossing nor a coast.
      const atPole = lat < POLE;
      if (!atPole && Math.abs(lng - previousLng) > 180) turns += lng < previousLng ? 1 : -1;
      previousLng = lng;
      const { x, y } = project(lat, lng + turns * 360);
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y);
      if (index === 0) area.moveTo(x, y);
      else area.lineTo(x, y);
      if (index === 0 || atPole) coast.moveTo(x, y);
      else coast.lineTo(x, y);
    });
    area.closePath();
  }
  return { area, coast, box };
}
