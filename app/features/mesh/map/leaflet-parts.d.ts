/** The types of Leaflet's source modules, which its own declarations leave out. */
declare module 'leaflet/src/control/Control.Zoom.js' {
  import type { control } from 'leaflet';
  export const zoom: typeof control.zoom;
}
declare module 'leaflet/src/control/Control.Scale.js' {
  import type { control } from 'leaflet';
  export const scale: typeof control.scale;
}
declare module 'leaflet/src/*' {
  export * from 'leaflet';
}
