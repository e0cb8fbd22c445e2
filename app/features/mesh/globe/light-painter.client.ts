import type { Palette } from '../map/palette.client.ts';
import { withAlpha, type Pose } from './draw-globe.client.ts';
import { rotationTo } from './orientation.ts';
import type { Points } from './points.ts';

/** A place as a light: radius, opacity, and the glow around it, CSS px. */
const LIGHT = { radius: 1.1, opacity: 0.55 };
const GLOW = { radius: 15, opacity: 0.32 };
/** From so many places on the screen on they have no glow of their own: a drag must stay smooth. */
const CROWD = 1500;

/** Draws the places of nodes below their markers: lights, and a glow where they are dense. */
export class LightPainter {
  #glow: ImageBitmap | undefined;
  #key = '';

  draw(
    context: OffscreenCanvasRenderingContext2D,
    { x, y, width, height, radius, ratio, centre }: Pose,
    { vectors, alive }: Points,
    palette: Palette,
    moving: boolean,
  ): void {
    // A moving eye doesn't miss them.
    if (moving && alive.length > CROWD) return;
    const { right, up, front } = rotationTo(centre);
    const shown: number[] = [];
    // Written out rather than with vectors, because it runs for every place in every frame.
    for (let n = 0; n < alive.length; n++) {
      // Offline nodes are dark.
      if (alive[n] === 0) continue;
      const at = 3 * n;
      const a = vectors[at] as number;
      const b = vectors[at + 1] as number;
      const c = vectors[at + 2] as number;
      // At the very rim they would stick out.
      if (a * front[0] + b * front[1] + c * front[2] < 0.05) continue;
      const px = x + radius * (a * right[0] + b * right[1]);
      const py = y - radius * (a * up[0] + b * up[1] + c * up[2]);
      if (
        px > -GLOW.radius &&
        py > -GLOW.radius &&
        px < width + GLOW.radius &&
        py < height + GLOW.radius
      )
        shown.push(px, py);
    }
    if (shown.length < 2 * CROWD) {
      const glow = this.#glowOf(palette, ratio);
      context.globalAlpha = GLOW.opacity;
      for (let at = 0; at < shown.length; at += 2)
        context.drawImage(
          glow,
          (shown[at] as number) - GLOW.radius,
          (shown[at + 1] as number) - GLOW.radius,
          2 * GLOW.radius,
          2 * GLOW.radius,
        );
    }
    context.globalAlpha = LIGHT.opacity;
    context.fillStyle = palette.online;
    const side = 2 * LIGHT.radius;
    for (let at = 0; at < shown.length; at += 2)
      context.fillRect(
        (shown[at] as number) - LIGHT.radius,
        (shown[at + 1] as number) - LIGHT.radius,
        side,
        side,
      );
    context.globalAlpha = 1;
  }

  #glowOf(palette: Palette, ratio: number): ImageBitmap {
    const key = `${palette.glow} ${ratio}`;
    if (this.#glow && this.#key === key) return this.#glow;
    this.#key = key;
    this.#glow?.close();
    const half = GLOW.radius * ratio;
    const canvas = new OffscreenCanvas(2 * half, 2 * half);
    const context = canvas.getContext('2d');
    const fade = context?.createRadialGradient(half, half, 0, half, half, half);
    if (context && fade) {
      fade.addColorStop(0, palette.glow);
      fade.addColorStop(1, withAlpha(palette.glow, 0));
      context.fillStyle = fade;
      context.fillRect(0, 0, 2 * half, 2 * half);
    }
    return (this.#glow = canvas.transferToImageBitmap());
  }
}
