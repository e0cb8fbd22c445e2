import * as L from './leaflet.client.ts';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { ZOOM_MAX } from '#server/mesh/mesh-query.schema.ts';
import { onThemeChange } from '#app/lib/theme.ts';
import {
  cutFor,
  extentOf,
  limitsOf,
  tidyZoom,
  viewOf,
  ZOOM_STEP,
  zoomFor,
  type MapView,
} from './first-view.ts';
import { LandLayer, SOUTH } from './land-layer.client.ts';
import { mostOf, separatingZoom } from './markers.ts';
import { latAt, lngAt, project, WORLD, type Box, type LatLng } from './mercator.ts';
import { readPalette } from './palette.client.ts';
import type { Hit } from './marker-hits.ts';
import { PlaceLayer } from './place-layer.client.ts';
import { followPointer } from './pointing.client.ts';
import { PulseLayer } from './pulse-layer.client.ts';
import type { Drawing, DrawingOptions } from './use-drawing.ts';

/** The north and south end of the map, degrees, and how much further it goes where a node is beyond them. */
const NORTH = 74;
const SOUTH_END = -56;
const POLES = { north: 84, south: -85 };
/** Least zoom when the map moves to a node that is not in view. */
const NODE_ZOOM = 5;
/** A node nearer to the edge of the map than this is not in view, px. The first view leaves more. */
const EDGE = 30;
/** Least of the highest zoom, also where locations are hardly known: countries are recognisable. */
const LEAST_MAX_ZOOM = 5;
/** The zoom from which a scale is shown. Further out, each latitude has its own. */
const SCALE_ZOOM = 3;
/** Where distances are told in miles, too. */
const MILES = /-(US|GB|LR|MM)$/;

/**
 * Leaflet's projection ends at 85 degrees. The view may extend beyond that where the world is smaller than the window.
 */
const MERCATOR = L.CRS.EPSG3857 as typeof L.CRS.EPSG3857 & { projection: object };
const BEYOND_POLES: typeof L.CRS.EPSG3857 = Object.assign({}, MERCATOR, {
  projection: { ...MERCATOR.projection, MAX_LATITUDE: 89.99 },
});

/** Draws the network on a flat map. @param grid coordinates are rounded to multiples of this many degrees */
export function createMeshMap(
  host: HTMLElement,
  store: MeshStore,
  grid: number,
  { shown, view, selected, insets, onSelect, onPoint, onView, onDrawn }: DrawingOptions,
): Drawing {
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = L.map(host, {
    attributionControl: false,
    zoomControl: false,
    crs: BEYOND_POLES,
    maxZoom: Math.min(Math.max(separatingZoom(grid), LEAST_MAX_ZOOM), ZOOM_MAX),
    // Fine steps, so that the world fits the window at any size.
    zoomSnap: ZOOM_STEP,
    zoomDelta: 1,
    maxBoundsViscosity: 1,
    // Its arrow keys move the map; ours go from marker to marker.
    keyboard: false,
    zoomAnimation: !reducedMotion,
    fadeAnimation: !reducedMotion,
    inertia: !reducedMotion,
  });

  /** Whether the map moves by itself to show everything. */
  let automatic = view === null;
  /** False while a move is ours, not the visitor's. */
  let byVisitor = true;
  const ours = (move: () => void) => {
    const before = byVisitor;
    byVisitor = false;
    move();
    byVisitor = before;
  };

  const palette = readPalette(host);
  const places = new PlaceLayer(store, palette, shown, {
    drawn: onDrawn,
    changed: (all) => (all ? land.refresh() : land.refreshLater()),
  });
  const land = new LandLayer(palette, places);

  /** What the first view shows, px at zoom 0; null without nodes. */
  let extent: Box | null = null;
  /** Whether it is known where the world is cut open. */
  let cut = false;
  /** The one world, px at zoom 0. */
  const world = (): Box => {
    const polar = places.south() < SOUTH;
    land.showAntarctica(polar);
    const north = extent && extent.top < project(NORTH, 0).y ? POLES.north : NORTH;
    const { cut } = places.markers;
    return {
      ...{ left: cut, right: cut + WORLD },
      ...{ top: project(north, 0).y, bottom: project(polar ? POLES.south : SOUTH_END, 0).y },
    };
  };
  /**
   * How far the view may go at a zoom. (Leaflet's own setMaxBounds() moves the view back in an animation that can't be
   * stopped, and so would undo the next setView().)
   */
  const limit = (zoom: number) => {
    const all = world();
    const { left, right, top, bottom } = limitsOf(
      ...([all, extent ?? all, zoom, map.getSize(), insets()] as const),
    );
    const bounds = L.latLngBounds([latAt(bottom), lngAt(left)], [latAt(top), lngAt(right)]);
    map.options.maxBounds = bounds;
    return bounds;
  };
  /** The meridian in the one world. */
  const inWorld = (lng: number) => {
    const west = lngAt(places.markers.cut);
    return west + ((((lng - west) % 360) + 360) % 360);
  };
  const go = ({ lat, lng, zoom }: MapView) =>
    ours(() => {
      limit(zoom);
      map.setView([lat, inWorld(lng)], zoom, { animate: false });
    });

  map.on('moveend', () => {
    ours(() => map.panInsideBounds(limit(map.getZoom()), { animate: false }));
    if (!byVisitor) return;
    automatic = false;
    const { lat, lng } = map.getCenter().wrap();
    onView({ lat, lng, zoom: tidyZoom(map.getZoom()) });
  });

  /** Fits the map to its container. While the list is shown the container has no size, and the map stays as it was. */
  const fit = () => {
    if (host.clientWidth === 0 || host.clientHeight === 0) return;
    extent = extentOf(places.positions());
    // Only once: later the world would turn under the visitor.
    if (extent && !cut) {
      cut = true;
      const { lat, lng } = map.getCenter();
      places.cutAt(cutFor(extent));
      go({ lat, lng, zoom: map.getZoom() });
    }
    ours(() => {
      map.invalidateSize({ animate: false, pan: false });
      const size = map.getSize();
      const whole = zoomFor(world(), size, insets(), 0);
      const zoom = extent ? Math.min(whole, zoomFor(extent, size, insets())) : whole;
      if (map.getZoom() < zoom) map.setZoom(zoom, { animate: false });
      if (map.getMinZoom() !== zoom) map.setMinZoom(zoom);
    });
    if (automatic) go(viewOf(extent ?? world(), map.getSize(), insets()));
  };
  /** Whether a position is where nothing covers the map, and not at its edge. */
  const isInView = ({ lat, lng }: LatLng) => {
    const { x, y } = map.latLngToContainerPoint([lat, inWorld(lng)]);
    const { top, right, bottom, left } = insets();
    const size = map.getSize();
    return (
      x > left + EDGE && x < size.x - right - EDGE && y > top + EDGE && y < size.y - bottom - EDGE
    );
  };
  const moveTo = ({ lat, lng }: LatLng) => {
    fit();
    // The first view, once the places are here, shows all of them.
    if (automatic && !extent) return;
    // What the visitor sees stays where it is.
    if (isInView({ lat, lng })) return;
    automatic = false;
    const zoom = Math.max(NODE_ZOOM, map.getZoom());
    // It comes to the middle of what nothing covers.
    const { top, right, bottom, left } = insets();
    const point = map.project([lat, inWorld(lng)], zoom);
    const centre = map.unproject(point.add([(right - left) / 2, (bottom - top) / 2]), zoom);
    go({ lat: centre.lat, lng: centre.lng, zoom });
  };
  const setView = (to: MapView) => {
    fit();
    automatic = false;
    go({ ...to, zoom: Math.min(to.zoom, map.getMaxZoom()) });
  };

  go({ lat: 0, lng: 0, zoom: 0 });
  fit();
  if (view) setView(view);
  L.zoom({ position: 'bottomleft' }).addTo(map);
  L.scale({
    position: 'bottomright',
    imperial: MILES.test(navigator.language),
    updateWhenIdle: true,
  }).addTo(map);
  const showScale = () => host.toggleAttribute('data-scale', map.getZoom() >= SCALE_ZOOM);
  map.on('zoomend', showScale);
  showScale();
  land.addTo(map);
  places.addTo(map);
  places.select(selected);
  // The first places arrive after the map.
  const unfollow = store.subscribe(({ all }) => all && fit());

  const pulses = new PulseLayer(store, places.markers);
  // The pulses are decoration, so they start when the page is idle. (Safari has no requestIdleCallback.)
  let removed = false;
  const startPulses = () => {
    if (!removed) pulses.addTo(map);
  };
  if (!reducedMotion) {
    if ('requestIdleCallback' in window) requestIdleCallback(startPulses);
    else setTimeout(startPulses, 2000);
  }

  const choose = (hit: Hit | null, byKeyboard = false) => {
    if (hit?.kind === 'genesis') onSelect({ node: store.head.genesis.id }, byKeyboard);
    else if (!hit) onSelect(null, byKeyboard);
    else if (hit.marker.gridPoint) onSelect({ at: hit.marker.gridPoint }, byKeyboard);
    else if (map.getZoom() >= map.getMaxZoom()) {
      // They can't be told apart any further: those at the place with most nodes are listed.
      const at = mostOf(hit.marker.points);
      onSelect(at && { at: { lat: at.lat, lng: at.lng } }, byKeyboard);
    } else {
      const bounds = L.latLngBounds([...hit.marker.bounds]);
      // Always zooms in, so that every cluster separates in the end.
      const zoom = Math.max(map.getBoundsZoom(bounds.pad(0.2)), map.getZoom() + 1);
      map.setView(bounds.getCenter(), Math.min(zoom, map.getMaxZoom()), {
        animate: !reducedMotion,
      });
    }
  };
  followPointer(map, places.hits, { insets, onPoint, onChoose: choose });

  const recolour = () => {
    const palette = readPalette(host);
    land.setPalette(palette);
    places.setPalette(palette);
  };
  const unfollowTheme = onThemeChange(recolour);

  // The map is shown again after the list hid it, too. (The observer reports the first size as well.)
  let size = map.getSize();
  const resized = new ResizeObserver(() => {
    if (size.equals([host.clientWidth, host.clientHeight])) return;
    fit();
    size = map.getSize();
    land.redraw();
    places.redraw();
  });
  resized.observe(host);

  return {
    show: (shown) => places.show(shown),
    select: (selected) => places.select(selected),
    moveTo,
    setView,
    uncover(resting) {
      // Each step of a sheet that rises would draw all of it again.
      if (resting) fit();
    },
    remove() {
      removed = true;
      unfollow();
      resized.disconnect();
      unfollowTheme();
      map.remove();
      // Leaflet tells of the end of a resize 200 ms later, also when the map is gone.
      map.off();
    },
  };
}
