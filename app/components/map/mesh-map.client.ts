import L from 'leaflet';
import 'leaflet/dist/leaflet.css';
import { nodes } from '../../format.ts';
import type { MeshStore } from '../../live-store.ts';
import { onThemeChange } from '../../theme.ts';
import { WORLD } from './canvas-layer.client.ts';
import { LandLayer } from './land-layer.client.ts';
import { readPalette } from './palette.client.ts';
import { PeerLayer } from './peer-layer.client.ts';

/** What lies in the middle at first. */
const CENTRE: L.LatLngTuple = [26, 12];
/** East and west the world goes on; north and south it ends. */
const BOUNDS = L.latLngBounds([-85, -100_000], [85, 100_000]);
/** Half a degree is 45 px wide here; our outlines hold no more detail. */
const MAX_ZOOM = 7;
/** At least this near when one node is shown. */
const NODE_ZOOM = 5;
/** How far beside a glyph a click still counts, px. A finger is less exact than a mouse. */
const REACH = { fine: 4, coarse: 14 };

export interface MeshMap {
  /** Moves the view there. */
  show(place: { lat: number; lng: number }): void;
  /** Marks the place of what is chosen. */
  mark(place: { lat: number; lng: number } | null): void;
  remove(): void;
}

/** The map in `host`. `onSelect` gets the ids of what was clicked: none, one, or all that lie there. */
export function createMeshMap(
  host: HTMLElement,
  store: MeshStore,
  onSelect: (ids: string[]) => void,
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
  map.setView(CENTRE, 0);
  fit();
  map.setView(CENTRE, map.getMinZoom(), { animate: false });
  L.control.zoom({ position: 'bottomright' }).addTo(map);

  const land = new LandLayer(readPalette(host)).addTo(map);
  const peers = new PeerLayer(store, readPalette(host), (drawn) => {
    host.setAttribute(
      'aria-label',
      `Map: ${nodes(drawn)} and Genesis. Arrow keys move it, plus and minus zoom. The list has the same nodes.`,
    );
  }).addTo(map);
  land.load().catch(() => undefined);

  const look = ({ latlng }: L.LeafletMouseEvent) => {
    const scale = map.getZoomScale(map.getZoom(), 0);
    const coarse = matchMedia('(pointer: coarse)').matches;
    const point = L.CRS.EPSG3857.latLngToPoint(latlng.wrap(), 0);
    return peers.at(point, scale, coarse ? REACH.coarse : REACH.fine);
  };
  map.on('click', (event) => onSelect(look(event)));
  map.on('mousemove', (event) => host.classList.toggle('over-node', look(event).length > 0));

  const recolour = () => {
    land.setPalette(readPalette(host));
    peers.setPalette(readPalette(host));
  };
  const unfollowTheme = onThemeChange(recolour);

  // Also when it was hidden behind the list and shows again.
  const resized = new ResizeObserver(() => {
    fit();
    land.redraw();
    peers.redraw();
  });
  resized.observe(host);

  return {
    show: ({ lat, lng }) => {
      fit();
      map.setView([lat, lng], Math.max(NODE_ZOOM, map.getZoom()), { animate: false });
    },
    mark: (place) => peers.select(place),
    remove() {
      resized.disconnect();
      unfollowTheme();
      map.remove();
    },
  };
}
