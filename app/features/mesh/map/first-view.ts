import { latAt, lngAt, project, WORLD, type Box, type LatLng } from './mercator.ts';

/** How much of each side of the map something else covers, px. */
export interface Insets {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

export interface Size {
  x: number;
  y: number;
}

/** A centre and a zoom. */
export interface MapView extends LatLng {
  zoom: number;
}

/** Zooms are multiples of this: the places then fill any window. */
export const ZOOM_STEP = 0.05;
/** Highest zoom of the first view: one node alone is shown with its surroundings. */
const FIRST_ZOOM_MAX = 5;
/** Between the places and the edge of the map or of what covers it: 24 px and the radius of a small ring. */
const MARGIN = 35;
/** The world is cut open elsewhere than at the date line if the places then take up at most this share of the width. */
const NARROWER = 0.75;

/**
 * The part of the map with all of these positions. It crosses the date line if they lie on both sides of it and
 * nowhere else, or nearly so.
 */
export function extentOf(positions: Iterable<LatLng>): Box | null {
  const xs: number[] = [];
  let [top, bottom] = [Infinity, -Infinity];
  for (const { lat, lng } of positions) {
    const { x, y } = project(lat, lng);
    xs.push(x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  if (xs.length === 0) return null;
  xs.sort((a, b) => a - b);
  let [left, right] = [xs[0] as number, xs.at(-1) as number];
  let narrowest = (right - left) * NARROWER;
  for (let at = 1; at < xs.length; at++) {
    const [before, after] = [xs[at - 1] as number, xs[at] as number];
    const width = before + WORLD - after;
    if (width > narrowest) continue;
    narrowest = width;
    [left, right] = [after, before + WORLD];
  }
  return { left, right, top, bottom };
}

/** Where the one world that is drawn begins so that it shows the extent in one piece, px at zoom 0. */
export const cutFor = ({ left, right }: Pick<Box, 'left' | 'right'>): number =>
  right < WORLD ? 0 : (left + right - WORLD) / 2;

/** A zoom without the noise of its fractions. */
export const tidyZoom = (zoom: number): number => Math.round(zoom * 100) / 100;

const free = (size: Size, insets: Insets, margin: number): Size => ({
  x: Math.max(1, size.x - insets.left - insets.right - 2 * margin),
  y: Math.max(1, size.y - insets.top - insets.bottom - 2 * margin),
});

/** The largest zoom at which the extent fits into what the insets leave of the map, not below 0. */
export function zoomFor(
  { left, right, top, bottom }: Box,
  size: Size,
  insets: Insets,
  margin = MARGIN,
): number {
  const { x, y } = free(size, insets, margin);
  const zoom = Math.log2(Math.min(x / (right - left || 1), y / (bottom - top || 1)));
  return Math.max(0, tidyZoom(Math.floor(zoom / ZOOM_STEP) * ZOOM_STEP));
}

/** The view with the whole extent in the middle of what the insets leave of the map. */
export function viewOf(extent: Box, size: Size, insets: Insets): MapView {
  const zoom = Math.min(zoomFor(extent, size, insets), FIRST_ZOOM_MAX);
  const scale = 2 ** zoom;
  const x = (extent.left + extent.right) / 2 + (insets.right - insets.left) / 2 / scale;
  const y = (extent.top + extent.bottom) / 2 + (insets.bottom - insets.top) / 2 / scale;
  return { lat: latAt(y), lng: lngAt(x), zoom };
}

/**
 * How far the view may go at a zoom: to the ends of the world, and as far as the first view needs it.
 * @param extent what the first view shows
 * @returns px at zoom 0
 */
export function limitsOf(world: Box, extent: Box, zoom: number, size: Size, insets: Insets): Box {
  const scale = 2 ** zoom;
  const [x, y] = [
    (extent.left + extent.right) / 2 + (insets.right - insets.left) / 2 / scale,
    (extent.top + extent.bottom) / 2 + (insets.bottom - insets.top) / 2 / scale,
  ];
  const [across, down] = [size.x / 2 / scale, size.y / 2 / scale];
  return {
    left: Math.min(world.left - (insets.left + MARGIN) / scale, x - across),
    right: Math.max(world.right + (insets.right + MARGIN) / scale, x + across),
    top: Math.min(world.top - insets.top / scale, y - down),
    bottom: Math.max(world.bottom + insets.bottom / scale, y + down),
  };
}
