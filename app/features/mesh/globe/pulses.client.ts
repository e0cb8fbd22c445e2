import { CELLS, type PulseTuple } from '#server/mesh/places.schema.ts';
import { RADIUS } from '#app/ui/status-shapes.ts';
import type { LatLng } from '../map/mercator.ts';
import type { Palette } from '../map/palette.client.ts';
import type { Pose } from './draw-globe.client.ts';
import { dot, rotationTo, vectorOf, type Vector } from './orientation.ts';

/** Most pulses at a time: a few show that the network is alive. A welcome has a text, so there are fewer. */
const MOST = { heartbeat: 8, welcome: 2 };
/** How long each lasts, ms. */
const LASTS = { heartbeat: 1200, welcome: 4000 };
/** How far its two rings go beyond its marker, CSS px. */
const REACH = [7, 11];

interface Pulse {
  kind: 'heartbeat' | 'welcome';
  at: Vector;
  colour: string;
  /** Of the marker that the place is a part of, CSS px. */
  radius: number;
  text: string;
  /** ms; undefined until it is first drawn */
  began?: number;
}

/** Rings where a heartbeat arrived, on a canvas of their own, so that the globe below isn't drawn again for them. */
export class Pulses {
  #pulses: Pulse[] = [];
  #frame = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement | undefined,
    private readonly pose: () => Pose,
    private readonly palette: () => Palette,
    /** The marker that a place is a part of. */
    private readonly markerOf: (place: LatLng) => { at: Vector; radius: number } | undefined,
  ) {}

  add([lat, lng, , cell, joined]: PulseTuple): void {
    const kind = joined === undefined ? 'heartbeat' : 'welcome';
    if (document.hidden || this.#pulses.filter((pulse) => pulse.kind === kind).length >= MOST[kind])
      return;
    const colour = this.palette()[CELLS[cell]?.status ?? 'online'];
    const text = joined === undefined ? '' : `${joined} joined`;
    const marker = this.markerOf({ lat, lng });
    const at = marker?.at ?? vectorOf({ lat, lng });
    this.#pulses.push({ kind, at, colour, radius: marker?.radius ?? RADIUS.S, text });
    this.#frame ||= requestAnimationFrame(this.#draw);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }

  readonly #draw = (now: number): void => {
    const { width, height, ratio, x, y, radius, centre } = this.pose();
    this.#pulses = this.#pulses.filter(({ kind, began = now }) => now - began < LASTS[kind]);
    this.#frame = this.#pulses.length > 0 ? requestAnimationFrame(this.#draw) : 0;
    const context = this.canvas?.getContext('2d');
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const { right, up, front } = rotationTo(centre);
    for (const pulse of this.#pulses) {
      pulse.began ??= now;
      if (dot(pulse.at, front) <= 0) continue;
      const px = x + radius * dot(pulse.at, right);
      const py = y - radius * dot(pulse.at, up);
      this.#drawOne(context, pulse, px, py, (now - pulse.began) / LASTS[pulse.kind]);
    }
  };

  #drawOne(
    context: CanvasRenderingContext2D,
    { colour, radius, text }: Pulse,
    x: number,
    y: number,
    share: number,
  ): void {
    context.strokeStyle = colour;
    context.lineWidth = 1;
    const eased = 1 - (1 - share) ** 3;
    context.globalAlpha = 0.55 * (1 - share);
    for (const reach of REACH) {
      context.beginPath();
      context.arc(x, y, radius + reach * eased, 0, 2 * Math.PI);
      context.stroke();
    }
    context.globalAlpha = 1;
    if (!text) return;
    const { font, ink, surface } = this.palette();
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
