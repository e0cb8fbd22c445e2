/** Grid points have this many decimals, which removes float noise; grids are never finer than 0.1 degrees. */
const DECIMALS = 6;

function toGrid(value: number, grid: number, bound: number): number {
  const steps = Math.floor(bound / grid);
  const n = Math.min(steps, Math.max(-steps, Math.round(value / grid)));
  // "+ 0" turns -0 into 0.
  return Number((n * grid).toFixed(DECIMALS)) + 0;
}

/**
 * Rounds a position to the coordinate grid, before anything stores, logs or shows it.
 * @param grid degrees, 0.1 to 30
 * @returns the nearest grid point: latitude in [-90, 90], longitude in [-180, 180), because 180 and -180
 *   are the same meridian
 */
export function quantize(lat: number, lng: number, grid: number): { lat: number; lng: number } {
  // Before rounding too: a grid that does not divide 180 has no point at the date line.
  const meridian = toGrid(lng === 180 ? -180 : lng, grid, 180);
  return { lat: toGrid(lat, grid, 90), lng: meridian === 180 ? -180 : meridian };
}
