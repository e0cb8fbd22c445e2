import L from 'leaflet';
import 'leaflet/dist/leaflet.css';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { onThemeChange } from '#app/lib/theme.ts';
import { WORLD } from './canvas-layer.client.ts';
import { LandLayer } from './land-layer.client.ts';
import type { LatLng } from './marks.ts';
import { readPalette } from './palette.client.ts';
import { PeerLayer, type Hit } from './peer-layer.client.ts';
import { PulseLayer } from './pulse-layer.client.ts';

/** What lies in the middle at first. */
const CENTRE: L.LatLngTuple = [26, 12];
/** East and west the world goes on; north and south it ends. */
const BOUNDS = L.latLngBounds([-85, -100_000], [85, 100_000]);
/** Places of the finest grid (a tenth of a degree) lie apart here. */
const MAX_ZOOM = 9;
/** At least this near when one node is shown. */
const NODE_ZOOM = 5;
/** How far beside a mark a click still counts, px. A finger is less exact than a mouse. */
const REACH = { fine: 4, coarse: 14 };

/** What is chosen on the map: a node or Genesis by its id, a place where several nodes lie, or nothing. */
export type Choice = { node: string } | { at: LatLng } | null;

export interface MapOptions {
  /** Which peers are shown at first. */
  matches: (peer: Peer) => boolean;
  /** What is chosen at first: then the view begins there. */
  chosen: LatLng | null;
  onChoose: (choice: Choice) => void;
  /** The peers and Genesis are on the map. */
  onDrawn: () => void;
}

export interface MeshMap {
  filter(matches: (peer: Peer) => boolean): void;
  /** Marks what is chosen. */
  mark(place: LatLng | null): void;
  /** Moves the view there. */
  show(place: LatLng): void;
  remove(): void;
}

export function createMeshMap(
  host: HTMLElement,
  store: MeshStore,
  { matches, chosen, onChoose, onDrawn }: MapOptions,
): MeshMap {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = L.map(host, {
    attributionControl: false,
    zoomControl: false,
    maxZoom: MAX_ZOOM,
    // The world always fills the view, at whatever size that is.
    zoomSnap: 0.25,
    zoomDelta: 1,
    maxBoundsViscosity: 1,
    worldCopyJump: true,
    zoomAnimation: !calm,
    fadeAnimation: !calm,
    inertia: !calm,
  });
  // For drags and arrow keys. (Leaflet's own setMaxBounds() also brings the view back by an animation
  // that cannot be stopped: the next setView() would be undone by it.)
  map.options.maxBounds = BOUNDS;
  map.on('moveend', () => map.panInsideBounds(BOUNDS, { animate: false }));

  /** Fits the map to its place on the page. While the list is shown it has none, and stays as it was. */
  const fit = () => {
    if (host.clientWidth === 0 || host.clientHeight === 0) return;
    map.invalidateSize({ animate: false, pan: false });
    const { x, y } = map.getSize();
    const zoom = Math.ceil(Math.log2(Math.max(x, y, WORLD) / WORLD) * 4) / 4;
    if (map.getZoom() < zoom) map.setZoom(zoom, { animate: false });
    if (map.getMinZoom() !== zoom) map.setMinZoom(zoom);
  };
  const show = ({ lat, lng }: LatLng) => {
    fit();
    map.setView([lat, lng], Math.max(NODE_ZOOM, map.getZoom()), { animate: false });
  };
  map.setView(CENTRE, 0);
  fit();
  if (chosen) show(chosen);
  else map.setView(CENTRE, map.getMinZoom(), { animate: false });
  L.control.zoom({ position: 'bottomright' }).addTo(map);

  const palette = readPalette(host);
  const land = new LandLayer(palette).addTo(map);
  const peers = new PeerLayer(store, palette, matches, onDrawn).addTo(map);
  peers.choose(chosen);
  const pulses = new PulseLayer(store, (id) => peers.find(id));
  // The page comes first, then what only pleases. (Safari has no requestIdleCallback.)
  const begin = () => host.isConnected && pulses.addTo(map);
  if (!calm) {
    if ('requestIdleCallback' in window) requestIdleCallback(begin);
    else setTimeout(begin, 2000);
  }

  const look = ({ latlng }: L.LeafletMouseEvent): Hit => {
    const scale = map.getZoomScale(map.getZoom(), 0);
    const coarse = matchMedia('(pointer: coarse)').matches;
    const point = L.CRS.EPSG3857.latLngToPoint(latlng.wrap(), 0);
    return peers.hit(point, scale, coarse ? REACH.coarse : REACH.fine);
  };
  map.on('click', (event) => {
    const hit = look(event);
    if (hit?.kind === 'genesis') onChoose({ node: store.head.genesis.id });
    else if (!hit) onChoose(null);
    else if (hit.mark.peer) onChoose({ node: hit.mark.peer.id });
    else if (hit.mark.place) onChoose({ at: hit.mark.place });
    else {
      const bounds = L.latLngBounds([...hit.mark.bounds]);
      // Always nearer, so that every cluster comes apart in the end.
      const zoom = Math.max(map.getBoundsZoom(bounds.pad(0.2)), map.getZoom() + 1);
      map.setView(bounds.getCenter(), Math.min(zoom, MAX_ZOOM), { animate: !calm });
    }
  });
  map.on('mousemove', (event) => host.classList.toggle('over-node', look(event) !== null));

  const recolour = () => {
    const palette = readPalette(host);
    land.setPalette(palette);
    peers.setPalette(palette);
  };
  const unfollowTheme = onThemeChange(recolour);

  // Also when it was hidden behind the list and shows again. (The observer tells the first size too.)
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
    mark: (place) => peers.choose(place),
    show,
    remove() {
      resized.disconnect();
      unfollowTheme();
      map.remove();
    },
  };
}
