import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  PEER_STATUSES,
  type PeerStatus,
  type NodeClass,
} from '@mesh-registry/protocol/values.schema.ts';
import { HALO, RADIUS, STAR_PATH, statusShape, STROKE } from '#app/ui/status-shapes.ts';
import type { Marker } from './markers.ts';
import type { Palette } from './palette.client.ts';

/** Draws the icons of the map on a canvas. */

/** Width of the rim in the land's colour that separates an icon from its neighbours, CSS px. */
const RIM = 1.5;

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

/** Up to this many nodes a cluster is drawn quietly. */
const FEW = 9;
/** How much of what is below a cluster its inside covers. */
const COVER = 0.88;

/** A number that fits into a cluster: 950, 1.3k, 45k. */
const compact = (count: number): string =>
  count < 1000
    ? String(count)
    : count < 9950
      ? `${(count / 1000).toFixed(1)}k`
      : `${Math.round(count / 1000)}k`;

/** A ring divided by status, with the number of nodes inside. The more nodes, the bolder. */
export function drawCluster(
  context: CanvasRenderingContext2D,
  { byStatus, count, radius }: Marker,
  [x, y]: readonly [number, number],
  palette: Palette,
): void {
  const ring = 1.5 + radius / 12;
  context.globalAlpha = COVER;
  context.fillStyle = palette.surface;
  context.beginPath();
  context.arc(x, y, radius + RIM, 0, 2 * Math.PI);
  context.fill();
  context.globalAlpha = count > FEW ? 1 : 0.8;
  context.lineWidth = ring;
  // Clockwise from twelve o'clock, with gaps if there is more than one status.
  let from = -Math.PI / 2;
  const gap = byStatus.filter((n) => n > 0).length > 1 ? 1.5 / radius : 0;
  PEER_STATUSES.forEach((status, index) => {
    const share = ((byStatus[index] ?? 0) / count) * 2 * Math.PI;
    if (share === 0) return;
    context.strokeStyle = palette[status];
    context.beginPath();
    context.arc(x, y, radius - ring / 2, from, from + Math.max(share - gap, gap));
    context.stroke();
    from += share;
  });
  context.globalAlpha = 1;
  context.fillStyle = count > FEW ? palette.ink : palette['ink-2'];
  context.font = `${count > FEW ? 600 : 400} ${count < 1000 ? 11 : 12}px ${palette.font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(compact(count), x, y + 0.5);
}

/** Radius of the dot at the lower end of the line from Genesis to its position, CSS px. */
const FOOT = 2.5;

/**
 * The line from Genesis down to its position, where it is drawn above it.
 * @param lift see {@link drawGenesis}
 */
export function drawLeader(
  context: CanvasRenderingContext2D,
  [x, y]: readonly [number, number],
  lift: number,
  { genesis, offline }: Palette,
  status: Genesis['status'],
): void {
  if (lift === 0) return;
  context.fillStyle = context.strokeStyle = status === 'offline' ? offline : genesis;
  context.lineWidth = 1.25;
  context.beginPath();
  context.moveTo(x, y - lift);
  context.lineTo(x, y);
  context.stroke();
  context.beginPath();
  context.arc(x, y, FOOT, 0, 2 * Math.PI);
  context.fill();
}

/** @param lift px that it is drawn above its position */
export function drawGenesis(
  context: CanvasRenderingContext2D,
  [x, y]: readonly [number, number],
  lift: number,
  { genesis, offline, surface }: Palette,
  status: Genesis['status'],
): void {
  context.save();
  context.translate(x, y - lift);
  context.fillStyle = context.strokeStyle = status === 'offline' ? offline : genesis;
  context.lineWidth = 1.25;
  const colour = context.fillStyle;
  context.beginPath();
  context.arc(0, 0, HALO, 0, 2 * Math.PI);
  context.fillStyle = surface;
  context.fill();
  context.fillStyle = colour;
  context.globalAlpha = 0.2;
  context.fill();
  context.globalAlpha = 1;
  // A dashed ring, because it is offline or was not checked.
  if (status !== 'online') context.setLineDash([3, 3]);
  context.stroke();
  context.fill(new Path2D(STAR_PATH));
  context.restore();
}

export function drawRing(
  context: CanvasRenderingContext2D,
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
