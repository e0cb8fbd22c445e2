/** The types of Leaflet's source modules, which its own declarations leave out. */
declare module 'leaflet/src/control/Control.Zoom.js' {
  import type { control } from 'leaflet';
  export const zoom: typeof control.zoom;
}
declare module 'leaflet/src/control/Control.Scale.js' {
  import type { control } from 'leaflet';
  export const scale: typeof control.scale;
}
declare module 'leaflet/src/core/Util.js' {
  export { setOptions } from 'leaflet';
}
declare module 'leaflet/src/dom/index.js' {
  export { DomUtil } from 'leaflet';
}
declare module 'leaflet/src/geo/index.js' {
  export { CRS, latLng, LatLng, latLngBounds } from 'leaflet';
}
declare module 'leaflet/src/geometry/index.js' {
  export { Bounds, bounds, point } from 'leaflet';
}
declare module 'leaflet/src/layer/Layer.js' {
  export { Layer } from 'leaflet';
}
declare module 'leaflet/src/map/index.js' {
  export { map } from 'leaflet';
}
