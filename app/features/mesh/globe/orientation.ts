import { WORLD } from '../map/mercator.ts';
import type { LatLng } from '../map/mercator.ts';

/** How the globe is turned and projected: orthographic, north up, seen from infinitely far. */

const RADIANS = Math.PI / 180;

/** A unit vector from the centre of the earth. */
export type Vector = readonly [x: number, y: number, z: number];

export function vectorOf({ lat, lng }: LatLng): Vector {
  const [phi, lambda] = [lat * RADIANS, lng * RADIANS];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

/** The position that a vector from the centre of the earth points to. */
export const latLngOf = ([x, y, z]: Vector): LatLng => ({
  lat: Math.atan2(z, Math.hypot(x, y)) / RADIANS,
  lng: Math.atan2(y, x) / RADIANS,
});

/** Rows of the rotation that turns a point to the front: right, up and towards the viewer. */
export interface Rotation {
  right: Vector;
  up: Vector;
  front: Vector;
}

/** @param centre the point in the middle */
export function rotationTo(centre: LatLng): Rotation {
  const [sin, cos] = [Math.sin(centre.lng * RADIANS), Math.cos(centre.lng * RADIANS)];
  const [x, y, z] = vectorOf(centre);
  return {
    right: [-sin, cos, 0],
    up: [-z * cos, -z * sin, Math.hypot(x, y)],
    front: [x, y, z],
  };
}

export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Radius (px) at which the middle of the globe has the scale of the flat map at a zoom. */
export const radiusAt = (zoom: number): number => (WORLD * 2 ** zoom) / (2 * Math.PI);

/** The zoom of the flat map at a radius (px). */
export const zoomAt = (radius: number): number => Math.log2((radius * 2 * Math.PI) / WORLD);

/** Turns the globe by a drag over it (px). What is in the middle follows the pointer. The poles are as far as it goes. */
export function turnedBy({ lat, lng }: LatLng, dx: number, dy: number, radius: number): LatLng {
  const degrees = 1 / (radius * RADIANS);
  // Near a pole the same drag turns through more degrees of longitude, but not without end.
  const stretch = 1 / Math.max(0.35, Math.cos(lat * RADIANS));
  return {
    lat: Math.max(-90, Math.min(90, lat + dy * degrees)),
    lng: wrapped(lng - dx * degrees * stretch),
  };
}

/** From -180 up to 180. */
export const wrapped = (lng: number): number => ((((lng + 180) % 360) + 360) % 360) - 180;

/** The way from one point to another, the shorter way round. @param share from 0 to 1 */
export const between = (from: LatLng, to: LatLng, share: number): LatLng => ({
  lat: from.lat + (to.lat - from.lat) * share,
  lng: wrapped(from.lng + wrapped(to.lng - from.lng) * share),
});
