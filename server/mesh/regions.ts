import { UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import { LAND } from './land.ts';

/** The table of land: a point for each half of a degree, from the south pole and from 180° W. */
export const STEPS_PER_DEGREE = 2;
export const TABLE_ROWS = 180 * STEPS_PER_DEGREE + 1;
export const TABLE_COLUMNS = 360 * STEPS_PER_DEGREE;

/** The number of a region that has none in the table: the sea. */
const SEA = 0;
const REGIONS = ['', 'AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'];

/** The number of a region for each point of the table. */
function decode(runs: string): Uint8Array {
  const table = new Uint8Array(TABLE_ROWS * TABLE_COLUMNS);
  let at = 0;
  for (const [, length = '', region = ''] of runs.matchAll(/([0-9a-z]+)([A-Z]{2}|--)/g)) {
    const end = at + Number.parseInt(length, 36);
    table.fill(Math.max(SEA, REGIONS.indexOf(region)), at, end);
    at = end;
  }
  return table;
}

const table = decode(LAND);

/**
 * The region of a node that names none: the continent with most land in the square of the coordinate grid around its
 * rounded place; ZZ if there is only water.
 * @param grid the coordinate grid, degrees
 */
export function regionAt(lat: number, lng: number, grid: number): string {
  const row = Math.round((lat + 90) * STEPS_PER_DEGREE);
  const column = Math.round((lng + 180) * STEPS_PER_DEGREE);
  // How many points beside the nearest one are in the square: none up to a grid of half a degree.
  const reach = Math.floor((grid * STEPS_PER_DEGREE) / 2);
  const region = reach === 0 ? regionOf(row, column) : mostAround(row, column, reach);
  return REGIONS[region] || UNKNOWN_REGION;
}

/** The number of the region at a point; the columns go around the world. */
const regionOf = (row: number, column: number): number =>
  table[row * TABLE_COLUMNS + ((column + TABLE_COLUMNS) % TABLE_COLUMNS)] ?? SEA;

/** The number of the region that most points have in the square around a point, the sea apart. */
function mostAround(row: number, column: number, reach: number): number {
  const points = REGIONS.map(() => 0);
  const last = Math.min(TABLE_ROWS - 1, row + reach);
  for (let y = Math.max(0, row - reach); y <= last; y++)
    for (let x = column - reach; x <= column + reach; x++) {
      const region = regionOf(y, x);
      points[region] = (points[region] ?? 0) + 1;
    }
  points[SEA] = 0;
  const most = Math.max(...points);
  return most === 0 ? SEA : points.indexOf(most);
}
