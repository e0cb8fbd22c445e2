/** The projection of the map, Web Mercator, in px at zoom 0. */

/** Width of the world at zoom 0, px. */
export const WORLD = 256;

/** A position, degrees. */
export interface LatLng {
  lat: number;
  lng: number;
}

/** Something round on the map. */
export interface Circle {
  x: number;
  y: number;
  radius: number;
}

/** Part of the map, px at zoom 0. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Latitudes beyond 85 degrees are at the edge of the map. */
export function project(lat: number, lng: number): { x: number; y: number } {
  const sin = Math.sin((lat * Math.PI) / 180);
  const y = 0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI);
  return { x: WORLD * (lng / 360 + 0.5), y: WORLD * Math.min(Math.max(y, 0), 1) };
}

/** The same meridian in the one world that is drawn. @param cut where that world begins, px at zoom 0 */
export const xInWorld = (x: number, cut: number): number => (x < cut ? x + WORLD : x);

export const lngAt = (x: number): number => (x / WORLD) * 360 - 180;

export const latAt = (y: number): number =>
  (360 * Math.atan(Math.exp((1 - (2 * y) / WORLD) * Math.PI))) / Math.PI - 90;
