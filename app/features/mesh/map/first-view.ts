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

/** Zooms are multiples of this: the world then fits any window. */
export const ZOOM_STEP = 0.25;
/** Highest zoom of the first view: one node alone is shown with its surroundings. */
const FIRST_ZOOM_MAX = 5;
/** Between what is shown and the edge of the map or of what covers it, px. */
const MARGIN = 24;

/**
 * The smallest part of the map with all of these positions. It crosses the date line where the largest gap between
 * them lies elsewhere.
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
  let widest = left + WORLD - right;
  for (let at = 1; at < xs.length; at++) {
    const [before, after] = [xs[at - 1] as number, xs[at] as number];
    if (after - before <= widest) continue;
    widest = after - before;
    [left, right] = [after, before + WORLD];
  }
  return { left, right, top, bottom };
}

const free = (size: Size, insets: Insets): Size => ({
  x: Math.max(1, size.x - insets.left - insets.right - 2 * MARGIN),
  y: Math.max(1, size.y - insets.top - insets.bottom - 2 * MARGIN),
});

/** The largest zoom at which the extent fits into what the insets leave of the map, not below 0. */
export function zoomFor({ left, right, top, bottom }: Box, size: Size, insets: Insets): number {
  const { x, y } = free(size, insets);
  const zoom = Math.log2(Math.min(x / (right - left || 1), y / (bottom - top || 1)));
  return Math.max(0, Math.floor(zoom / ZOOM_STEP) * ZOOM_STEP);
}

/** The view with the whole extent in the middle of what the insets leave of the map. */
export function viewOf(extent: Box, size: Size, insets: Insets): MapView {
  const zoom = Math.min(zoomFor(extent, size, insets), FIRST_ZOOM_MAX);
  const scale = 2 ** zoom;
  const x = (extent.left + extent.right) / 2 + (insets.right - insets.left) / 2 / scale;
  const y = (extent.top + extent.bottom) / 2 + (insets.bottom - insets.top) / 2 / scale;
  return { lat: latAt(y), lng: lngAt(x), zoom };
}
