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
const GRATICULE = geoGraticule().step([30, 30])();
/** How far the air around it reaches, in its radii. */
const AIR = 1.1;

export function drawSphere(
  context: OffscreenCanvasRenderingContext2D,
  { x, y, radius }: Pose,
  palette: Palette,
): void {
  const circle = (r: number) => {
    context.beginPath();
    context.arc(x, y, r, 0, 2 * Math.PI);
  };
  const air = context.createRadialGradient(x, y, radius * 0.99, x, y, radius * AIR);
  air.addColorStop(0, palette.halo);
  air.addColorStop(1, withAlpha(palette.halo, 0));
  context.fillStyle = air;
  circle(radius * AIR);
  context.fill();
  context.fillStyle = fromUpperLeft(context, { x, y, radius }, [
    [0, palette['globe-1']],
    [0.72, palette['globe-2']],
    [1, palette['globe-3']],
  ]);
  circle(radius);
  context.fill();
}

/** Light from the upper left, which makes a ball of the disc. */
export function drawShade(
  context: OffscreenCanvasRenderingContext2D,
  { x, y, radius }: Pose,
  palette: Palette,
): void {
  context.fillStyle = fromUpperLeft(context, { x, y, radius }, [
    [0.6, withAlpha(palette['globe-3'], 0)],
    [1, withAlpha(palette['globe-3'], 0.55)],
  ]);
  context.strokeStyle = palette.coast;
  context.lineWidth = 1;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
}

function fromUpperLeft(
  context: OffscreenCanvasRenderingContext2D,
  { x, y, radius }: Pick<Pose, 'x' | 'y' | 'radius'>,
  stops: readonly (readonly [at: number, colour: string])[],
): CanvasGradient {
  const [left, top] = [x - 0.16 * radius, y - 0.28 * radius];
  const light = context.createRadialGradient(left, top, 0, left, top, 1.44 * radius);
  for (const [at, colour] of stops) light.addColorStop(at, colour);
  return light;
}

export interface Outlines {
  /** Null: not loaded. */
  land: GeoPermissibleObjects | null;
  borders: GeoPermissibleObjects | null;
}

/** @param moving leaves out what a moving eye doesn't miss */
export function drawLand(
  context: OffscreenCanvasRenderingContext2D,
  { x, y, width, height, radius, centre }: Pose,
  { land, borders }: Outlines,
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
  if (!borders || moving) return;
  context.beginPath();
  path(borders);
  context.lineWidth = 0.8;
  context.setLineDash([2, 2.4]);
  context.strokeStyle = palette.border;
  context.stroke();
  context.setLineDash([]);
}

/** A computed colour, `rgb(1, 2, 3)`, with this alpha. */
export const withAlpha = (colour: string, alpha: number): string =>
  colour.replace(/^rgba?\(([^)/]*).*\)$/, (_, parts: string) => {
    const [red, green, blue] = parts.split(/[\s,]+/);
    return `rgb(${red} ${green} ${blue} / ${alpha})`;
  });
