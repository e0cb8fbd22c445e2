import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  PEER_STATUSES,
  type PeerStatus,
  type NodeClass,
} from '@mesh-registry/protocol/values.schema.ts';
import { RADIUS, STAR_PATH, statusShape, STROKE } from '#app/ui/status-shapes.ts';
import { CALLOUT, NAME_ABOVE, NAME_BESIDE, type CalloutName } from './callouts.ts';
import type { Marker } from './markers.ts';
import type { Palette } from './palette.client.ts';

/** Draws the icons of the map on a canvas. */

/** Of a canvas of the page, or of one that another thread draws on. */
export type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** Width of the rim that separates a marker from what is below it, CSS px. */
const RIM = 1.5;
/** Opacity of what a filter excludes. */
const DIMMED = 0.4;

/** A bitmap of each icon, for one theme and one pixel ratio. */
export interface Sprites {
  ratio: number;
  images: ImageBitmap[];
}

/** Icons are drawn once and then copied for every node. (Copying a bitmap is faster than copying a canvas.) */
export const drawSprites = (
  icons: readonly { size: NodeClass; status: PeerStatus }[],
  palette: Palette,
  ratio: number,
): ImageBitmap[] =>
  icons.map(({ size, status }) => {
    const half = Math.ceil((RADIUS[size] + RIM) * ratio);
    const canvas = new OffscreenCanvas(2 * half, 2 * half);
    const context = canvas.getContext('2d');
    context?.setTransform(ratio, 0, 0, ratio, half, half);
    if (context) drawIcon(context, palette, status, RADIUS[size]);
    return canvas.transferToImageBitmap();
  });

function drawIcon(
  context: OffscreenCanvasRenderingContext2D,
  palette: Palette,
  status: PeerStatus,
  radius: number,
): void {
  const { fill, stroke } = statusShape(status, radius);
  context.lineCap = 'round';
  context.strokeStyle = context.fillStyle = palette['ring-fill'];
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

/** A number that fits into a cluster: 950, 1.3k, 45k. */
const compact = (count: number): string =>
  count < 1000
    ? String(count)
    : count < 9950
      ? `${(count / 1000).toFixed(1)}k`
      : `${Math.round(count / 1000)}k`;

/** Line width of a ring by the number of its nodes, CSS px: the more nodes, the bolder. */
const strokeOf = (total: number): number => (total < 10 ? 2.2 : total < 40 ? 3 : 3.6);
/** From this many nodes on the number in a ring is set larger. */
const LARGE = 40;
/** Between two states of a ring, CSS px. */
const STATE_GAP = 1.4;

/** A ring divided by status, with the number of nodes inside: those that match the filter, if any does. */
export function drawCluster(
  context: Context,
  { byStatus, count, dimmed, total, radius }: Cluster,
  [x, y]: readonly [number, number],
  palette: Palette,
): void {
  const width = strokeOf(total);
  const middle = radius - width / 2;
  const { globalAlpha } = context;
  context.fillStyle = palette['ring-fill'];
  context.beginPath();
  context.arc(x, y, radius + RIM, 0, 2 * Math.PI);
  context.fill();
  context.lineWidth = width;
  const parts = [byStatus, dimmed].flatMap((counts, excluded) =>
    PEER_STATUSES.map((status, index) => ({ status, excluded, nodes: counts[index] ?? 0 })),
  );
  const shown = parts.filter(({ nodes }) => nodes > 0);
  // Clockwise from twelve o'clock, with gaps if there is more than one part.
  const gap = shown.length > 1 ? STATE_GAP / middle : 0;
  let from = -Math.PI / 2;
  for (const { status, excluded, nodes } of shown) {
    const share = (nodes / total) * 2 * Math.PI;
    context.globalAlpha = globalAlpha * (excluded ? DIMMED : 1);
    context.strokeStyle = palette[status];
    context.beginPath();
    context.arc(x, y, middle, from + gap / 2, from + Math.max(share - gap / 2, gap));
    context.stroke();
    from += share;
  }
  context.globalAlpha = globalAlpha * (count > 0 ? 1 : DIMMED);
  context.fillStyle = palette.ink;
  context.font = `600 ${total < LARGE ? 12 : 13}px ${palette.font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(compact(count || total), x, y + 0.5);
  context.globalAlpha = globalAlpha;
}

type Cluster = Pick<Marker, 'byStatus' | 'count' | 'dimmed' | 'total' | 'radius'>;

/** An icon as it was drawn once. @param excluded the filter excludes its node, which is dimmed */
export function drawImage(
  context: Context,
  image: ImageBitmap,
  [x, y]: readonly [number, number],
  ratio: number,
  excluded: boolean,
): void {
  const extent = image.width / ratio;
  // Whole pixels, because a bitmap between them is resampled, which is slower and less sharp.
  const left = Math.round((x - extent / 2) * ratio) / ratio;
  const top = Math.round((y - extent / 2) * ratio) / ratio;
  const { globalAlpha } = context;
  if (excluded) context.globalAlpha = globalAlpha * DIMMED;
  context.drawImage(image, left, top, extent, extent);
  context.globalAlpha = globalAlpha;
}

/** Radius of the dot at the end of a line that leads to a place, and the width of the line, CSS px. */
const FOOT = 2.4;
const LINE = 1.4;

/** From the rim of a disc to the true place of its node or nodes. @param radius of the disc, CSS px */
export function drawLead(
  context: Context,
  at: readonly [x: number, y: number],
  foot: readonly [x: number, y: number],
  radius: number,
  colour: string,
): void {
  const [dx, dy] = [foot[0] - at[0], foot[1] - at[1]];
  const far = Math.hypot(dx, dy);
  if (far <= radius) return;
  context.fillStyle = context.strokeStyle = colour;
  context.lineWidth = LINE;
  context.beginPath();
  context.moveTo(at[0] + (dx / far) * radius, at[1] + (dy / far) * radius);
  context.lineTo(...foot);
  context.stroke();
  context.beginPath();
  context.arc(...foot, FOOT, 0, 2 * Math.PI);
  context.fill();
}

/** A name beside a disc, in what can't be confused with the names of countries. */
function drawName(
  context: Context,
  { text, side }: CalloutName,
  [x, y]: readonly [number, number],
  palette: Palette,
): void {
  context.font = `600 12px ${palette.font}`;
  context.textAlign = side === 'right' ? 'left' : side === 'left' ? 'right' : 'center';
  context.textBaseline = 'alphabetic';
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = palette['name-halo'];
  context.fillStyle = palette.ink;
  const across = side === 'right' ? NAME_BESIDE : side === 'left' ? -NAME_BESIDE : 0;
  const down = side === 'above' ? -NAME_ABOVE : side === 'below' ? NAME_ABOVE : 0;
  context.strokeText(text, x + across, y + down + BASELINE);
  context.fillText(text, x + across, y + down + BASELINE);
}

/** From the middle of a line of a name to what its letters stand on, CSS px. */
const BASELINE = 4;

/** The colour of Genesis, by its health. */
export const genesisColour = ({ genesis, offline }: Palette, status: Genesis['status']): string =>
  status === 'offline' ? offline : genesis;

export function drawGenesis(
  context: Context,
  at: readonly [x: number, y: number],
  palette: Palette,
  status: Genesis['status'],
  name: CalloutName,
): void {
  context.save();
  const colour = genesisColour(palette, status);
  drawDisc(context, at, [palette['ring-fill'], palette['genesis-wash']]);
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 1.3;
  // A dashed ring, because it is offline or was not checked.
  if (status !== 'online') context.setLineDash([3, 3]);
  context.stroke();
  context.setLineDash([]);
  drawName(context, name, at, palette);
  context.translate(...at);
  context.fillStyle = colour;
  context.fill(new Path2D(STAR_PATH));
  context.restore();
}

/** The chosen node: its icon in a ring, with its name. */
export function drawChosen(
  context: Context,
  at: readonly [x: number, y: number],
  palette: Palette,
  status: PeerStatus,
  name: CalloutName,
): void {
  context.save();
  drawDisc(context, at, [palette['ring-fill']]);
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.stroke();
  drawName(context, name, at, palette);
  context.translate(...at);
  const { fill, stroke } = statusShape(status, RADIUS.L);
  context.fillStyle = context.strokeStyle = palette[status];
  context.lineWidth = STROKE;
  context.lineCap = 'round';
  if (fill) context.fill(new Path2D(fill));
  if (stroke) context.stroke(new Path2D(stroke));
  context.restore();
}

function drawDisc(
  context: Context,
  [x, y]: readonly [number, number],
  fills: readonly string[],
): void {
  context.beginPath();
  context.arc(x, y, CALLOUT, 0, 2 * Math.PI);
  for (const fill of fills) {
    context.fillStyle = fill;
    context.fill();
  }
}

export function drawRing(
  context: Context,
  [x, y]: readonly [number, number],
  radius: number,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}
