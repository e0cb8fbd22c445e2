import { CELLS, type PulseTuple } from '#server/mesh/places.schema.ts';
import type { Palette } from '../map/palette.client.ts';
import type { Pose } from './draw-globe.client.ts';
import { dot, rotationTo, vectorOf, type Vector } from './orientation.ts';

/** Most pulses at a time: a few show that the network is alive. A welcome has a text, so there are fewer. */
const MOST = { heartbeat: 8, welcome: 2 };
/** How long each lasts, ms. */
const LASTS = { heartbeat: 1600, welcome: 4000 };
/** How far its rings go, CSS px. */
const REACH = { heartbeat: 15, welcome: 26 };

interface Pulse {
  kind: 'heartbeat' | 'welcome';
  at: Vector;
  colour: string;
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
  ) {}

  add([lat, lng, , cell, joined]: PulseTuple): void {
    const kind = joined === undefined ? 'heartbeat' : 'welcome';
    if (document.hidden || this.#pulses.filter((pulse) => pulse.kind === kind).length >= MOST[kind])
      return;
    const colour = this.palette()[CELLS[cell]?.status ?? 'online'];
    const text = joined === undefined ? '' : `${joined} joined`;
    this.#pulses.push({ kind, at: vectorOf({ lat, lng }), colour, text });
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
    { kind, colour, text }: Pulse,
    x: number,
    y: number,
    share: number,
  ): void {
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    for (const delay of [0, 0.15]) {
      const part = (share - delay) / (1 - delay);
      if (part <= 0) continue;
      const eased = 1 - (1 - part) ** 3;
      context.globalAlpha = 0.7 * (1 - part);
      context.beginPath();
      context.arc(x, y, REACH[kind] * (0.25 + 0.75 * eased), 0, 2 * Math.PI);
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
