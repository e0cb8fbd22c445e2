import { RADIUS } from '#app/ui/status-shapes.ts';
import type { PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { Palette } from '../map/palette.client.ts';
import type { Pose } from './draw-globe.client.ts';
import { PULSE_LASTS } from './layers.ts';
import { dot, rotationTo, type Vector } from './orientation.ts';

/** How far its two rings go beyond its marker, CSS px. */
const REACH = [7, 11];

/** Where a heartbeat arrived. */
export interface Pulse {
  kind: keyof typeof PULSE_LASTS;
  at: Vector;
  status: PeerStatus;
  /** Of the marker that the place is a part of, CSS px; null: there is none. */
  radius: number | null;
  text: string;
}

/** Rings where a heartbeat arrived, on a canvas of their own, so that the globe below isn't drawn again for them. */
export class Pulses {
  /** Each with when it was first drawn, ms. */
  #pulses: (Pulse & { began?: number })[] = [];
  #frame = 0;

  constructor(
    private readonly context: OffscreenCanvasRenderingContext2D,
    /** Where and how they are drawn now; null: not yet. */
    private readonly now: () => { pose: Pose; palette: Palette } | null,
  ) {}

  add(pulse: Pulse): void {
    this.#pulses.push(pulse);
    this.#frame ||= requestAnimationFrame(this.#draw);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }

  readonly #draw = (now: number): void => {
    this.#pulses = this.#pulses.filter(({ kind, began = now }) => now - began < PULSE_LASTS[kind]);
    this.#frame = this.#pulses.length > 0 ? requestAnimationFrame(this.#draw) : 0;
    const drawn = this.now();
    if (!drawn) return;
    const { width, height, ratio, x, y, radius, centre } = drawn.pose;
    const { context } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const { right, up, front } = rotationTo(centre);
    for (const pulse of this.#pulses) {
      pulse.began ??= now;
      if (dot(pulse.at, front) <= 0) continue;
      const px = x + radius * dot(pulse.at, right);
      const py = y - radius * dot(pulse.at, up);
      this.#drawOne(pulse, px, py, (now - pulse.began) / PULSE_LASTS[pulse.kind], drawn.palette);
    }
  };

  #drawOne(
    { status, radius, text }: Pulse,
    x: number,
    y: number,
    share: number,
    palette: Palette,
  ): void {
    const { context } = this;
    context.strokeStyle = palette[status];
    context.lineWidth = 1;
    const eased = 1 - (1 - share) ** 3;
    context.globalAlpha = 0.55 * (1 - share);
    for (const reach of REACH) {
      context.beginPath();
      context.arc(x, y, (radius ?? RADIUS.S) + reach * eased, 0, 2 * Math.PI);
      context.stroke();
    }
    context.globalAlpha = 1;
    if (!text) return;
    const { font, ink, surface } = palette;
    context.globalAlpha = Math.min(1, 4 * (1 - share));
    context.font = `12px ${font}`;
    context.textAlign = 'center';
    const half = context.measureText(text).width / 2 + 8;
    context.fillStyle = surface;
    context.beginPath();
    context.roundRect(x - half, y + 14, 2 * half, 22, 6);
    context.fill();
    context.fillStyle = ink;
    context.textBaseline = 'middle';
    context.fillText(text, x, y + 25.5);
    context.globalAlpha = 1;
  }
}
