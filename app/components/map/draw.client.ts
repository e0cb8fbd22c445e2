import type { Genesis } from '../../../server/schemas/mesh.ts';
import type { NodeClass, PeerStatus } from '../../../server/schemas/values.ts';
import { HALO, RADIUS, STAR_PATH, statusGlyph, STROKE } from './glyphs.ts';
import type { Palette } from './palette.client.ts';

/** The signs of the map, on a canvas. */

/** The rim in the land's colour that parts a glyph from its neighbours, CSS px. */
const RIM = 1.5;

/** A picture of each glyph, for one theme and one pixel ratio. */
export interface Sprites {
  ratio: number;
  images: ImageBitmap[];
}

/** Drawn once, then copied for every peer. (A bitmap is copied in less time than a canvas.) */
export const drawSprites = (
  glyphs: readonly { size: NodeClass; status: PeerStatus }[],
  palette: Palette,
  ratio: number,
): ImageBitmap[] =>
  glyphs.map(({ size, status }) => {
    const half = Math.ceil((RADIUS[size] + RIM) * ratio);
    const canvas = new OffscreenCanvas(2 * half, 2 * half);
    const context = canvas.getContext('2d');
    context?.setTransform(ratio, 0, 0, ratio, half, half);
    if (context) drawGlyph(context, palette, status, RADIUS[size]);
    return canvas.transferToImageBitmap();
  });

function drawGlyph(
  context: OffscreenCanvasRenderingContext2D,
  palette: Palette,
  status: PeerStatus,
  radius: number,
): void {
  const { fill, stroke } = statusGlyph(status, radius);
  context.lineCap = 'round';
  context.strokeStyle = context.fillStyle = palette.land;
  if (status === 'offline') {
    context.lineWidth = STROKE + 2 * RIM;
    context.stroke(new Path2D(stroke));
  } else {
    context.beginPath();
    context.arc(0, 0, radius + RIM, 0, 2 * Math.PI);
    context.fill();
  }
  context.strokeStyle = context.fillStyle = palette[status];
  context.lineWidth = STROKE;
  if (fill) context.fill(new Path2D(fill));
  if (stroke) context.stroke(new Path2D(stroke));
}

export function drawGenesis(
  context: CanvasRenderingContext2D,
  [x, y]: readonly [number, number],
  { genesis, offline }: Palette,
  status: Genesis['status'],
): void {
  context.save();
  context.translate(x, y);
  context.fillStyle = context.strokeStyle = status === 'offline' ? offline : genesis;
  context.lineWidth = 1.25;
  context.beginPath();
  context.arc(0, 0, HALO, 0, 2 * Math.PI);
  context.globalAlpha = 0.2;
  context.fill();
  context.globalAlpha = 1;
  // Not known to be well: the halo's ring is broken.
  if (status !== 'online') context.setLineDash([3, 3]);
  context.stroke();
  context.fill(new Path2D(STAR_PATH));
  context.restore();
}

export function drawRing(
  context: CanvasRenderingContext2D,
  [x, y]: readonly [number, number],
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, HALO + 3, 0, 2 * Math.PI);
  context.stroke();
}
