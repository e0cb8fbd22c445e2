/**
 * The parts of Leaflet that the map uses. Leaflet's main module includes markers, popups, vectors and image
 * tiles as well, which would double its size.
 */
export { zoom } from 'leaflet/src/control/Control.Zoom.js';
export { scale } from 'leaflet/src/control/Control.Scale.js';
export { setOptions } from 'leaflet/src/core/Util.js';
export { DomUtil } from 'leaflet/src/dom/index.js';
export { CRS, LatLng, latLngBounds } from 'leaflet/src/geo/index.js';
export { Bounds, bounds, point } from 'leaflet/src/geometry/index.js';
export { Layer } from 'leaflet/src/layer/Layer.js';
export { map } from 'leaflet/src/map/index.js';
export type { LeafletEventHandlerFn, LeafletMouseEvent, Point, ZoomAnimEvent } from 'leaflet';
