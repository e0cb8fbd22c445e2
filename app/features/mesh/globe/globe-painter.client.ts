import { feature } from 'topojson-client';
import landUrl from 'world-atlas/land-110m.json?url';
import type { PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { CALLOUT, calloutCircles, type CalloutName } from '../map/callouts.ts';
import {
  drawChosen,
  drawCluster,
  drawGenesis,
  drawImage,
  drawLead,
  drawRing,
  drawSprites,
  genesisColour,
} from '../map/draw.client.ts';
import { FAR_NAMES } from '../map/far-names.ts';
import { loadFont } from '../map/fonts.client.ts';
import type { Borders } from '../map/geography.ts';
import bordersUrl from '../map/geography/far-borders.json?url';
import { ICONS } from '../map/grid-points.ts';
import { landBits } from '../map/land-mask.ts';
import { landOutlines, positionsOf, type Topology } from '../map/land-outlines.ts';
import type { Sum } from '../map/markers.ts';
import type { Circle } from '../map/mercator.ts';
import type { Palette } from '../map/palette.client.ts';
import { drawLand, drawShade, drawSphere, type Outlines, type Pose } from './draw-globe.client.ts';
import { FADE, LAYERS } from './layers.ts';
import { LightPainter } from './light-painter.client.ts';
import { dot, rotationTo, vectorOf } from './orientation.ts';
import type { Points } from './points.ts';
import { Pulses, type Pulse } from './pulses.client.ts';

/** A marker where it is drawn, CSS px. */
export interface DrawnMarker
  extends Circle, Pick<Sum, 'byStatus' | 'count' | 'dimmed' | 'total' | 'icon'> {
  /** From 0 at the edge to 1. */
  opacity: number;
}

/** Something beside its place, with a line to it, CSS px. */
export interface Standing {
  x: number;
  y: number;
  foot: readonly [x: number, y: number];
  name: CalloutName;
  opacity: number;
}

/** What the globe shows at one moment. It goes to another thread, so it is plain values. */
export interface Frame {
  pose: Pose;
  /** Leaves out what nobody sees in a movement. */
  moving: boolean;
  /** Fewer pixels and lines: the device is slow. */
  coarse: boolean;
  markers: readonly DrawnMarker[];
  genesis: (Standing & Pick<Genesis, 'status'>) | null;
  chosen: (Standing & { status: PeerStatus }) | null;
  /** Around what is selected. */
  ring: Circle | null;
  /** Absent: as in the frame before. */
  palette?: Palette;
  points?: Points;
}

/** Whom the painter tells. */
export interface PainterListener {
  /** The last frame is on its canvases. @param ms how long that took */
  onPainted: (ms: number) => void;
  /** The land is drawn. @param bits where it is, as those of a LandMask; null: it couldn't be loaded */
  onLand: (bits: Uint8Array<ArrayBuffer> | null) => void;
}

/** Side of the picture that tells where land is, px. */
const MASK = 512;
/** Names begin so far from the edge, as a cosine, and half the width of a letter, CSS px. */
const NAME_DEPTH = 0.35;
const LETTER = 3.6;

/** Draws the globe on the canvases of its layers. */
export class GlobePainter {
  readonly #contexts: OffscreenCanvasRenderingContext2D[];
  readonly #pulses: Pulses;
  readonly #lights = new LightPainter();
  readonly #outlines: Outlines = { land: null, borders: null };
  #frame: Frame | null = null;
  #given: Palette | null = null;
  #hasFont = false;
  #points: Points | null = null;
  #asked = false;
  #next = 0;
  /** Changes with the colours. */
  #theme = 0;
  /** What the sphere is drawn for. */
  #sphere = '';
  #sprites: { key: string; images: ImageBitmap[] } | undefined;

  constructor(
    canvases: readonly OffscreenCanvas[],
    private readonly listener: PainterListener,
  ) {
    this.#contexts = canvases.flatMap((canvas) => canvas.getContext('2d') ?? []);
    if (this.#contexts.length !== LAYERS.length) throw new Error('There is no canvas.');
    this.#pulses = new Pulses(this.#contexts[3] as OffscreenCanvasRenderingContext2D, () =>
      this.#frame && this.#palette ? { pose: this.#frame.pose, palette: this.#palette } : null,
    );
    void this.#loadLand();
    void this.#loadBorders();
    void Promise.all([loadFont('latin'), loadFont('bold')]).then(() => {
      this.#hasFont = true;
      this.#drawSoon();
    });
  }

  /** A canvas that was asked for a font before it was loaded keeps the system's. */
  get #palette(): Palette | null {
    const given = this.#given;
    return this.#hasFont || !given ? given : { ...given, font: 'system-ui, sans-serif' };
  }

  /** Draws a frame soon; one that came before and isn't drawn yet is left out. */
  paint(frame: Frame): void {
    this.#frame = frame;
    if (frame.palette) {
      this.#given = frame.palette;
      this.#theme++;
    }
    this.#points = frame.points ?? this.#points;
    this.#asked = true;
    this.#drawSoon();
  }

  pulse(pulse: Pulse): void {
    this.#pulses.add(pulse);
  }

  stop(): void {
    cancelAnimationFrame(this.#next);
    this.#pulses.stop();
  }

  /** Without the land, the places are still worth seeing. */
  async #loadLand(): Promise<void> {
    const topology = await load<Topology>(landUrl);
    const outlines = topology?.objects['land'];
    if (!topology || !outlines) return this.listener.onLand(null);
    this.#outlines.land = feature(topology, outlines);
    this.#drawSoon();
    this.listener.onLand(landBits(landOutlines(topology), MASK));
  }

  /** Without the borders of countries, their land is still there. */
  async #loadBorders(): Promise<void> {
    const borders = await load<Borders>(bordersUrl);
    if (!borders) return;
    const coordinates = borders.lines.map((line) => positionsOf(line, borders.units));
    this.#outlines.borders = { type: 'MultiLineString', coordinates };
    this.#drawSoon();
  }

  readonly #drawSoon = (): void => {
    this.#next ||= requestAnimationFrame(() => {
      this.#next = 0;
      const began = performance.now();
      this.#draw();
      if (!this.#asked) return;
      this.#asked = false;
      // What was drawn reaches the canvases at the end of this task.
      setTimeout(() => this.listener.onPainted(performance.now() - began));
    });
  };

  #draw(): void {
    const [frame, palette] = [this.#frame, this.#palette];
    const [sphere, globe, shade, pulses] = this.#contexts;
    if (!frame || !palette || !sphere || !globe || !shade || !pulses) return;
    const { pose, moving, coarse } = frame;
    // What the gradients of the sphere depend on: they take longer than everything else.
    const key = [pose.width, pose.height, pose.ratio, pose.x, pose.y, pose.radius, this.#theme];
    if (this.#sphere !== key.join()) {
      this.#sphere = key.join();
      for (const { canvas } of [sphere, shade, pulses]) fit(canvas, pose);
      clean(sphere, pose, () => drawSphere(sphere, pose, palette));
      clean(shade, pose, () => drawShade(shade, pose, palette));
    }
    const drawn = { ...pose, ratio: coarse ? 1 : pose.ratio };
    fit(globe.canvas, drawn);
    clean(globe, drawn, () => {
      drawLand(globe, drawn, this.#outlines, palette, moving || coarse);
      if (this.#points) this.#lights.draw(globe, drawn, this.#points, palette, moving);
      drawNames(globe, frame, palette);
      this.#drawMarkers(globe, frame, palette, drawn.ratio);
    });
  }

  #drawMarkers(
    context: OffscreenCanvasRenderingContext2D,
    { markers, genesis, chosen, ring }: Frame,
    palette: Palette,
    ratio: number,
  ): void {
    const key = `${this.#theme} ${ratio}`;
    if (this.#sprites?.key !== key)
      this.#sprites = { key, images: drawSprites(ICONS, palette, ratio) };
    const { images } = this.#sprites;
    for (const marker of markers) {
      const { x, y } = marker;
      context.globalAlpha = marker.opacity;
      if (marker.icon === null) drawCluster(context, marker, [x, y], palette);
      else
        drawImage(context, images[marker.icon] as ImageBitmap, [x, y], ratio, marker.count === 0);
    }
    if (genesis) {
      context.globalAlpha = genesis.opacity;
      const at = [genesis.x, genesis.y] as const;
      drawLead(context, at, genesis.foot, CALLOUT, genesisColour(palette, genesis.status));
      drawGenesis(context, at, palette, genesis.status, genesis.name);
    }
    if (chosen) {
      context.globalAlpha = chosen.opacity;
      drawLead(context, [chosen.x, chosen.y], chosen.foot, CALLOUT, palette.accent);
      drawChosen(context, [chosen.x, chosen.y], palette, chosen.status, chosen.name);
    }
    context.globalAlpha = 1;
    if (ring) drawRing(context, [ring.x, ring.y], ring.radius, palette.accent);
  }
}

/** The few names of a whole world, where nothing is in their way. */
function drawNames(
  context: OffscreenCanvasRenderingContext2D,
  { pose, markers, genesis, chosen }: Frame,
  palette: Palette,
): void {
  const { right, up, front } = rotationTo(pose.centre);
  const taken: Circle[] = [
    ...markers,
    ...[genesis, chosen].flatMap((at) => (at ? calloutCircles(at) : [])),
  ];
  context.font = `400 12px ${palette.font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 2.4;
  for (const kind of ['countries', 'waters'] as const) {
    context.fillStyle = palette[kind === 'waters' ? 'water-name' : 'place-name'];
    context.strokeStyle = palette[kind === 'waters' ? 'globe-2' : 'name-halo'];
    context.letterSpacing = kind === 'waters' ? '1.7px' : '0px';
    for (const [text, lng, lat] of FAR_NAMES[kind]) {
      const at = vectorOf({ lat, lng });
      const depth = dot(at, front);
      // A name is wide: nearer to the edge it would extend beyond it.
      if (depth < NAME_DEPTH) continue;
      const x = pose.x + pose.radius * dot(at, right);
      const y = pose.y - pose.radius * dot(at, up);
      const half = text.length * LETTER;
      const covered = taken.some(
        (other) =>
          Math.abs(other.y - y) < other.radius + 8 && Math.abs(other.x - x) < other.radius + half,
      );
      if (covered) continue;
      for (const side of [-1, 0, 1]) taken.push({ x: x + (side * half * 2) / 3, y, radius: 8 });
      context.globalAlpha = Math.min(1, (depth - NAME_DEPTH) / FADE);
      context.strokeText(text, x, y);
      context.fillText(text, x, y);
    }
  }
  context.letterSpacing = '0px';
  context.globalAlpha = 1;
}

type Size = Pick<Pose, 'width' | 'height' | 'ratio'>;

/** A canvas that is given a size is empty. */
function fit(canvas: OffscreenCanvas, { width, height, ratio }: Size): void {
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across) canvas.width = across;
  if (canvas.height !== down) canvas.height = down;
}

function clean(
  context: OffscreenCanvasRenderingContext2D,
  { width, height, ratio }: Size,
  draw: () => void,
): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  draw();
}

/** Null if it can't be loaded. */
async function load<Body>(url: string): Promise<Body | null> {
  const response = await fetch(url).catch(() => null);
  return response?.ok ? ((await response.json()) as Body) : null;
}
