import type { View } from './canvas-layer.client.ts';
import type { Outline } from './land-outlines.ts';
import { project, WORLD, xInWorld } from './mercator.ts';
import type { Palette } from './palette.client.ts';

/** Degrees between the lines of the graticule. */
const GRATICULE = 30;
/** Shallow water along the coasts: widths of its two bands, CSS px. */
const SHOALS = [14, 6];

export interface Land {
  land: readonly Outline[];
  borders: readonly Outline[];
  lakes: readonly Outline[];
  rivers: readonly Outline[];
}

/** Graticule, land and coast, with borders, lakes and rivers as far as they are there. */
export function drawLand(
  context: OffscreenCanvasRenderingContext2D,
  view: View,
  palette: Palette,
  land: Land,
): void {
  const { scale, x, y, width, height, cut } = view;
  context.save();
  // Beyond the ends of the one world is sea.
  context.beginPath();
  context.rect(cut * scale - x, 0, WORLD * scale, height);
  context.clip();
  drawGraticule(context, view, palette.graticule);
  context.translate(-x, -y);
  context.scale(scale, scale);
  context.lineJoin = 'round';
  // What is west of the cut is drawn in the east, and outlines extend across the date line.
  const copies = [-WORLD, 0, WORLD];
  const eachShown = (outlines: readonly Outline[], draw: (outline: Outline) => void) => {
    for (const world of copies) {
      const left = x / scale - world;
      const right = (x + width) / scale - world;
      const [top, bottom] = [y / scale, (y + height) / scale];
      context.save();
      context.translate(world, 0);
      for (const outline of outlines) {
        const { box } = outline;
        if (box.right < left || box.left > right || box.bottom < top || box.top > bottom) continue;
        draw(outline);
      }
      context.restore();
    }
  };
  const stroke = (outlines: readonly Outline[], colour: string, px: number) => {
    context.strokeStyle = colour;
    context.lineWidth = px / scale;
    eachShown(outlines, ({ coast }) => context.stroke(coast));
  };
  const fill = (outlines: readonly Outline[], colour: string) => {
    context.fillStyle = colour;
    eachShown(outlines, ({ area }) => context.fill(area));
  };
  context.globalAlpha = 0.5;
  for (const px of SHOALS) stroke(land.land, palette.shoal, px);
  context.globalAlpha = 1;
  fill(land.land, palette.land);
  stroke(land.rivers, palette.river, 1);
  fill(land.lakes, palette.sea);
  stroke(land.lakes, palette.coast, 0.75);
  stroke(land.land, palette.coast, 1);
  context.setLineDash([2 / scale, 2.4 / scale]);
  stroke(land.borders, palette.border, 0.8);
  context.restore();
}

function drawGraticule(
  context: OffscreenCanvasRenderingContext2D,
  view: View,
  colour: string,
): void {
  const { scale, x, y, width, height, cut } = view;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let lng = -180; lng < 180; lng += GRATICULE) {
    const at = Math.round(xInWorld(project(0, lng).x, cut) * scale - x) + 0.5;
    if (at < 0 || at > width) continue;
    context.moveTo(at, 0);
    context.lineTo(at, height);
  }
  for (let lat = -60; lat <= 60; lat += GRATICULE) {
    const at = Math.round(project(lat, 0).y * scale - y) + 0.5;
    context.moveTo(0, at);
    context.lineTo(width, at);
  }
  context.stroke();
}
