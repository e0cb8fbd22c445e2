import { latAt, lngAt, project, WORLD, type LatLng } from './mercator.ts';

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

/** A part of the map, px at zoom 0. The east may lie in the next copy of the world. */
export interface Extent {
  west: number;
  east: number;
  north: number;
  south: number;
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
export function extentOf(positions: Iterable<LatLng>): Extent | null {
  const xs: number[] = [];
  let north = Infinity;
  let south = -Infinity;
  for (const { lat, lng } of positions) {
    const { x, y } = project(lat, lng);
    xs.push(x);
    north = Math.min(north, y);
    south = Math.max(south, y);
  }
  if (xs.length === 0) return null;
  xs.sort((a, b) => a - b);
  let [west, east] = [xs[0] as number, xs.at(-1) as number];
  let widest = west + WORLD - east;
  for (let at = 1; at < xs.length; at++) {
    const [before, after] = [xs[at - 1] as number, xs[at] as number];
    if (after - before <= widest) continue;
    widest = after - before;
    [west, east] = [after, before + WORLD];
  }
  return { west, east, north, south };
}

const free = (size: Size, insets: Insets): Size => ({
  x: Math.max(1, size.x - insets.left - insets.right - 2 * MARGIN),
  y: Math.max(1, size.y - insets.top - insets.bottom - 2 * MARGIN),
});

/** The largest zoom at which the extent fits into what the insets leave of the map, not below 0. */
export function zoomFor({ west, east, north, south }: Extent, size: Size, insets: Insets): number {
  const { x, y } = free(size, insets);
  const zoom = Math.log2(Math.min(x / (east - west || 1), y / (south - north || 1)));
  return Math.max(0, Math.floor(zoom / ZOOM_STEP) * ZOOM_STEP);
}

/** The view with the whole extent in the middle of what the insets leave of the map. */
export function viewOf(extent: Extent, size: Size, insets: Insets): MapView {
  const zoom = Math.min(zoomFor(extent, size, insets), FIRST_ZOOM_MAX);
  const scale = 2 ** zoom;
  const x = (extent.west + extent.east) / 2 + (insets.right - insets.left) / 2 / scale;
  const y = (extent.north + extent.south) / 2 + (insets.bottom - insets.top) / 2 / scale;
  return { lat: latAt(y), lng: lngAt(x), zoom };
}
