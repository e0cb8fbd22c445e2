/**
 * Coarse places: coordinates are rounded to a grid before anything stores, logs or shows them.
 */

/** Float noise of n × grid is below this many decimals; grids are never finer than 0.1 degrees. */
const DECIMALS = 6;

function toGrid(value: number, grid: number, bound: number): number {
  const steps = Math.floor(bound / grid);
  const n = Math.min(steps, Math.max(-steps, Math.round(value / grid)));
  // "+ 0" turns -0 into 0.
  return Number((n * grid).toFixed(DECIMALS)) + 0;
}

/**
 * The grid point nearest to a place.
 * @param grid degrees, 0.1 to 30
 * @returns latitude in [-90, 90], longitude in [-180, 180): 180 and -180 are one place.
 */
export function quantize(lat: number, lng: number, grid: number): { lat: number; lng: number } {
  // Before rounding as well: a grid that does not divide 180 has no point at the date line.
  const meridian = toGrid(lng === 180 ? -180 : lng, grid, 180);
  return { lat: toGrid(lat, grid, 90), lng: meridian === 180 ? -180 : meridian };
}
