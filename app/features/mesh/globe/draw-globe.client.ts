import { geoGraticule, geoOrthographic, geoPath, type GeoPermissibleObjects } from 'd3-geo';
import type { LatLng } from '../map/mercator.ts';
import type { Palette } from '../map/palette.client.ts';

/** Draws the globe on a canvas: the sphere and its land. */

/** Where on the canvas it is, and what faces the viewer. CSS px. */
export interface Pose {
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
  ratio: number;
  /** Its middle. */
  x: number;
  y: number;
  radius: number;
  centre: LatLng;
}

/** Degrees between the lines of the graticule. */
const GRATICULE = geoGraticule().step([15, 15])();
/** Width of the shine around it, as a share of its radius. */
const SHINE = 0.14;

export function drawSphere(
  context: CanvasRenderingContext2D,
  { x, y, radius }: Pose,
  palette: Palette,
): void {
  const circle = (r: number) => {
    context.beginPath();
    context.arc(x, y, r, 0, 2 * Math.PI);
  };
  const shine = context.createRadialGradient(x, y, radius, x, y, radius * (1 + SHINE));
  shine.addColorStop(0, withAlpha(palette.accent, 0.22));
  shine.addColorStop(0.4, withAlpha(palette.accent, 0.07));
  shine.addColorStop(1, withAlpha(palette.accent, 0));
  context.fillStyle = shine;
  circle(radius * (1 + SHINE));
  context.fill();
  context.fillStyle = palette.sea;
  circle(radius);
  context.fill();
}

/** Light from the upper left, which makes a ball of the disc. */
export function drawShade(context: CanvasRenderingContext2D, { x, y, radius }: Pose): void {
  const [left, top] = [x - 0.4 * radius, y - 0.45 * radius];
  const shade = context.createRadialGradient(left, top, 0.2 * radius, x, y, radius);
  shade.addColorStop(0, 'rgb(255 255 255 / 7%)');
  shade.addColorStop(0.6, 'rgb(0 0 0 / 0%)');
  shade.addColorStop(1, 'rgb(0 0 0 / 22%)');
  context.fillStyle = shade;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

/** @param moving leaves out what a moving eye doesn't miss */
export function drawLand(
  context: CanvasRenderingContext2D,
  { x, y, width, height, radius, centre }: Pose,
  land: GeoPermissibleObjects | null,
  palette: Palette,
  moving: boolean,
): void {
  const projection = geoOrthographic()
    .scale(radius)
    .translate([x, y])
    .rotate([-centre.lng, -centre.lat])
    .clipAngle(90)
    .clipExtent([
      [-8, -8],
      [width + 8, height + 8],
    ])
    // Straight lines between the corners of the land; the graticule bends.
    .precision(0);
  const path = geoPath(projection, context);
  if (!moving) {
    context.beginPath();
    path(GRATICULE);
    context.lineWidth = 1;
    context.strokeStyle = palette.graticule;
    context.stroke();
  }
  if (!land) return;
  context.beginPath();
  path(land);
  context.fillStyle = palette.land;
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = palette.coast;
  context.stroke();
}

/** A computed colour, `rgb(1, 2, 3)`, with this alpha. */
export const withAlpha = (colour: string, alpha: number): string =>
  colour.replace(/^rgba?\(([^)/]*).*\)$/, (_, parts: string) => {
    const [red, green, blue] = parts.split(/[\s,]+/);
    return `rgb(${red} ${green} ${blue} / ${alpha})`;
  });
