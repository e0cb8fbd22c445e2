import { PEER_STATUSES, type PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { statusShape } from '#app/ui/status-shapes.ts';
import type { Palette } from '../map/palette.client.ts';
import { withAlpha, type Pose } from './draw-globe.client.ts';
import { rotationTo } from './orientation.ts';
import type { Points } from './points.ts';

/** A dot by the number of nodes at its position: below each limit, its radius at first, CSS px. */
const SIZES = [
  { below: 2, radius: 2.6 },
  { below: 10, radius: 3.2 },
  { below: 100, radius: 4.2 },
  { below: 1000, radius: 5.8 },
  { below: Infinity, radius: 7.6 },
];
/** How far its glow reaches, in its radii, and how strong it is. */
const GLOW = { reach: 2.6, strength: 0.3 };
/** How much of the land separates a dot from its neighbours, CSS px. */
const RIM = 0.6;
/**
 * From this many on the screen, dots of up to 99 nodes are drawn as small squares: copying a bitmap takes ten times
 * as long, and a drag must stay smooth.
 */
const CROWD = 1500;
const SQUARES_BELOW = 3;
/** How far outside the canvas a dot may still extend into it, CSS px. */
const MARGIN = 20;

/** Draws a dot for each position, the largest on top. */
export class PointPainter {
  /** A bitmap of each dot, by status and then by size, for one theme, pixel ratio and scale. */
  #images: ImageBitmap[] = [];
  #key = '';
  /** What is on the screen: the number of each point, and where it is, device px. */
  #shown = new Uint32Array();
  #x = new Float32Array();
  #y = new Float32Array();

  draw(
    context: CanvasRenderingContext2D,
    pose: Pose,
    points: Points,
    palette: Palette,
    theme: number,
  ): void {
    const scale = scaleOf(pose, points);
    this.#prepare(`${theme} ${pose.ratio} ${scale}`, scale, pose.ratio, palette);
    const count = this.#project(pose, points);
    context.setTransform(1, 0, 0, 1, 0, 0);
    const bitmapsFrom = count > CROWD ? SQUARES_BELOW : 0;
    if (bitmapsFrom > 0) this.#drawSquares(context, points, count, scale * pose.ratio, palette);
    let size = 0;
    for (let at = 0; at < count; at++) {
      const n = this.#shown[at] as number;
      // They come in order of their counts.
      while ((points.counts[n] as number) >= (SIZES[size]?.below ?? Infinity)) size++;
      if (size < bitmapsFrom) continue;
      const image = this.#images[(points.statuses[n] as number) * SIZES.length + size];
      if (!image) continue;
      // Whole pixels, because a bitmap between them is resampled, which is slower and less sharp.
      const left = Math.round((this.#x[at] as number) - image.width / 2);
      const top = Math.round((this.#y[at] as number) - image.height / 2);
      context.drawImage(image, left, top);
    }
    context.setTransform(pose.ratio, 0, 0, pose.ratio, 0, 0);
  }

  #prepare(key: string, scale: number, ratio: number, palette: Palette): void {
    if (key === this.#key) return;
    for (const image of this.#images) image.close();
    this.#key = key;
    this.#images = PEER_STATUSES.flatMap((status) =>
      SIZES.map(({ radius }) => drawDot(status, radius * scale, palette, ratio)),
    );
  }

  /** @returns how many points are on the screen, on the side that faces the viewer */
  #project(
    { x, y, width, height, radius, ratio, centre }: Pose,
    { all: { length: size }, vectors }: Points,
  ): number {
    if (this.#shown.length < size) {
      this.#shown = new Uint32Array(size);
      this.#x = new Float32Array(size);
      this.#y = new Float32Array(size);
    }
    const { right, up, front } = rotationTo(centre);
    let count = 0;
    // Written out rather than with vectors, because it runs for every point in every frame.
    for (let n = 0, at = 0; n < size; n++, at += 3) {
      const a = vectors[at] as number;
      const b = vectors[at + 1] as number;
      const c = vectors[at + 2] as number;
      // At the very rim they would stick out.
      if (a * front[0] + b * front[1] + c * front[2] < 0.03) continue;
      const px = x + radius * (a * right[0] + b * right[1]);
      const py = y - radius * (a * up[0] + b * up[1] + c * up[2]);
      if (px < -MARGIN || py < -MARGIN || px > width + MARGIN || py > height + MARGIN) continue;
      this.#shown[count] = n;
      this.#x[count] = px * ratio;
      this.#y[count] = py * ratio;
      count++;
    }
    return count;
  }

  /** Status by status, because a change of colour takes longer than a square. Online ones are on top. */
  #drawSquares(
    context: CanvasRenderingContext2D,
    { counts, statuses }: Points,
    count: number,
    scale: number,
    palette: Palette,
  ): void {
    for (let status = PEER_STATUSES.length - 1; status >= 0; status--) {
      context.fillStyle = palette[PEER_STATUSES[status] as PeerStatus];
      for (let at = 0; at < count; at++) {
        const n = this.#shown[at] as number;
        const nodes = counts[n] as number;
        if (statuses[n] !== status || nodes >= 100) continue;
        const side = Math.max(2, Math.round((nodes === 1 ? 1.5 : nodes < 10 ? 2.1 : 3) * scale));
        const left = Math.round((this.#x[at] as number) - side / 2);
        const top = Math.round((this.#y[at] as number) - side / 2);
        context.fillRect(left, top, side, side);
      }
    }
  }
}

/** Dots grow with the globe, in few steps, and are smaller where there are many. */
function scaleOf({ radius }: Pose, { all: { length: size } }: Points): number {
  const crowded = size > 3000 ? 0.8 : size > 600 ? 1 : 1.35;
  const grown = Math.min(2, Math.max(1, Math.sqrt(radius / 320)));
  return Math.round(crowded * grown * 4) / 4;
}

function drawDot(status: PeerStatus, radius: number, palette: Palette, ratio: number): ImageBitmap {
  const glow = status === 'offline' ? 0 : GLOW.strength;
  const half = Math.ceil((radius * (glow ? GLOW.reach : 1) + RIM) * ratio);
  const canvas = new OffscreenCanvas(2 * half, 2 * half);
  const context = canvas.getContext('2d');
  if (!context) return canvas.transferToImageBitmap();
  context.setTransform(ratio, 0, 0, ratio, half, half);
  const colour = palette[status];
  if (glow) {
    const fade = context.createRadialGradient(0, 0, radius * 0.6, 0, 0, radius * GLOW.reach);
    fade.addColorStop(0, withAlpha(colour, glow));
    fade.addColorStop(1, withAlpha(colour, 0));
    context.fillStyle = fade;
    context.fillRect(-half, -half, 2 * half, 2 * half);
    context.fillStyle = palette.land;
    context.beginPath();
    context.arc(0, 0, radius + RIM, 0, 2 * Math.PI);
    context.fill();
  }
  const { fill, stroke } = statusShape(status, radius);
  context.fillStyle = context.strokeStyle = colour;
  context.lineWidth = Math.min(1.5, radius / 2);
  if (fill) context.fill(new Path2D(fill));
  if (stroke) context.stroke(new Path2D(stroke));
  return canvas.transferToImageBitmap();
}
