import * as L from './leaflet.client.ts';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { onThemeChange } from '#app/lib/theme.ts';
import { WORLD } from './canvas-layer.client.ts';
import { LandLayer } from './land-layer.client.ts';
import type { LatLng } from './markers.ts';
import { readPalette } from './palette.client.ts';
import { PeerLayer, type Hit } from './peer-layer.client.ts';
import { PulseLayer } from './pulse-layer.client.ts';

/** The centre at first. */
const CENTRE: L.LatLngTuple = [26, 12];
/** The world repeats in the east and west and ends in the north and south. */
const BOUNDS = L.latLngBounds([-85, -100_000], [85, 100_000]);
/** Points of the finest grid (a tenth of a degree) are separate here. */
const MAX_ZOOM = 9;
/** Least zoom when the map moves to a node. */
const NODE_ZOOM = 5;
/** How far beside a marker a click still hits it, px. A finger is less precise than a mouse. */
const REACH = { fine: 4, coarse: 14 };

/** A node or Genesis by its id, a grid point with several nodes, or nothing. */
export type Selection = { node: string } | { at: LatLng } | null;

export interface MapOptions {
  /** Which nodes are shown at first. */
  matches: (peer: Peer) => boolean;
  /** The selected position at first, where the view then starts. */
  selected: LatLng | null;
  onSelect: (selection: Selection) => void;
  /** Nodes and Genesis are drawn. */
  onDrawn: () => void;
}

export interface MeshMap {
  filter(matches: (peer: Peer) => boolean): void;
  /** Highlights the selected position. */
  select(position: LatLng | null): void;
  /** Moves the view to a position. */
  moveTo(position: LatLng): void;
  remove(): void;
}

export function createMeshMap(
  host: HTMLElement,
  store: MeshStore,
  { matches, selected, onSelect, onDrawn }: MapOptions,
): MeshMap {
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = L.map(host, {
    attributionControl: false,
    zoomControl: false,
    maxZoom: MAX_ZOOM,
    // Fine steps, so that the world fills the view at any size.
    zoomSnap: 0.25,
    zoomDelta: 1,
    maxBoundsViscosity: 1,
    worldCopyJump: true,
    zoomAnimation: !reducedMotion,
    fadeAnimation: !reducedMotion,
    inertia: !reducedMotion,
  });
  // For drags and arrow keys. (Leaflet's own setMaxBounds() moves the view back in an animation that can't be
  // stopped, and so would undo the next setView().)
  map.options.maxBounds = BOUNDS;
  map.on('moveend', () => map.panInsideBounds(BOUNDS, { animate: false }));

  /** Fits the map to its container. While the list is shown the container has no size, and the map stays as it was. */
  const fit = () => {
    if (host.clientWidth === 0 || host.clientHeight === 0) return;
    map.invalidateSize({ animate: false, pan: false });
    const { x, y } = map.getSize();
    const zoom = Math.ceil(Math.log2(Math.max(x, y, WORLD) / WORLD) * 4) / 4;
    if (map.getZoom() < zoom) map.setZoom(zoom, { animate: false });
    if (map.getMinZoom() !== zoom) map.setMinZoom(zoom);
  };
  const moveTo = ({ lat, lng }: LatLng) => {
    fit();
    map.setView([lat, lng], Math.max(NODE_ZOOM, map.getZoom()), { animate: false });
  };
  map.setView(CENTRE, 0);
  fit();
  if (selected) moveTo(selected);
  else map.setView(CENTRE, map.getMinZoom(), { animate: false });
  L.zoom({ position: 'bottomright' }).addTo(map);

  const palette = readPalette(host);
  const land = new LandLayer(palette).addTo(map);
  const peers = new PeerLayer(store, palette, matches, onDrawn).addTo(map);
  peers.select(selected);
  const pulses = new PulseLayer(store, (id) => peers.find(id));
  // The pulses are decoration, so they start when the page is idle. (Safari has no requestIdleCallback.)
  const startPulses = () => host.isConnected && pulses.addTo(map);
  if (!reducedMotion) {
    if ('requestIdleCallback' in window) requestIdleCallback(startPulses);
    else setTimeout(startPulses, 2000);
  }

  const hitAt = ({ latlng }: L.LeafletMouseEvent): Hit => {
    const scale = map.getZoomScale(map.getZoom(), 0);
    const coarse = matchMedia('(pointer: coarse)').matches;
    const point = L.CRS.EPSG3857.latLngToPoint(latlng.wrap(), 0);
    return peers.hit(point, scale, coarse ? REACH.coarse : REACH.fine);
  };
  map.on('click', (event) => {
    const hit = hitAt(event);
    if (hit?.kind === 'genesis') onSelect({ node: store.head.genesis.id });
    else if (!hit) onSelect(null);
    else if (hit.marker.peer) onSelect({ node: hit.marker.peer.id });
    else if (hit.marker.gridPoint) onSelect({ at: hit.marker.gridPoint });
    else {
      const bounds = L.latLngBounds([...hit.marker.bounds]);
      // Always zooms in, so that every cluster separates in the end.
      const zoom = Math.max(map.getBoundsZoom(bounds.pad(0.2)), map.getZoom() + 1);
      map.setView(bounds.getCenter(), Math.min(zoom, MAX_ZOOM), { animate: !reducedMotion });
    }
  });
  map.on('mousemove', (event) => {
    host.style.cursor = hitAt(event) ? 'pointer' : '';
  });

  const recolour = () => {
    const palette = readPalette(host);
    land.setPalette(palette);
    peers.setPalette(palette);
  };
  const unfollowTheme = onThemeChange(recolour);

  // Also when the list hid the map and it shows again. (The observer reports the first size, too.)
  let size = map.getSize();
  const resized = new ResizeObserver(() => {
    if (size.equals([host.clientWidth, host.clientHeight])) return;
    fit();
    size = map.getSize();
    land.redraw();
    peers.redraw();
  });
  resized.observe(host);

  return {
    filter: (matches) => peers.filter(matches),
    select: (position) => peers.select(position),
    moveTo,
    remove() {
      resized.disconnect();
      unfollowTheme();
      map.remove();
    },
  };
}
