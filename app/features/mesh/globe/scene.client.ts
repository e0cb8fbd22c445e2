import { feature } from 'topojson-client';
import landUrl from 'world-atlas/land-110m.json?url';
import type { GeoPermissibleObjects } from 'd3-geo';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { HALO } from '#app/ui/status-shapes.ts';
import { drawGenesis, drawRing } from '../map/draw.client.ts';
import type { Insets } from '../map/first-view.ts';
import type { LatLng } from '../map/mercator.ts';
import type { PointedAt } from '../map/marker-tooltip.tsx';
import { readPalette, type Palette } from '../map/palette.client.ts';
import { GridPoints, type Shown } from '../map/grid-points.ts';
import type { Selection } from '../map/use-drawing.ts';
import { drawLand, drawShade, drawSphere, type Pose } from './draw-globe.client.ts';
import { dot, radiusAt, rotationTo, vectorOf, zoomAt } from './orientation.ts';
import { PointPainter } from './point-painter.client.ts';
import { nearestPoint, pointsOf, type Points } from './points.ts';

/** Space around the globe at first, and its least radius, CSS px. */
const MARGIN = 36;
const RADIUS_MIN = 60;
/** Radius of the ring around what is selected, CSS px. */
const RING = 12;
/** Highest zoom: beyond it the flat map shows more. */
const ZOOM_MAX = 6;

/**
 * The globe as it is drawn on its canvases. From below: the sphere, which stays while the globe turns; land and
 * places; the shade on them; pulses, which draw themselves.
 */
export class Scene {
  readonly pose: Pose = {
    ...{ width: 0, height: 0, ratio: 1, x: 0, y: 0, radius: 1 },
    centre: { lat: 20, lng: 0 },
  };
  palette: Palette;
  points: Points;
  selected: LatLng | null = null;
  /** Leaves out what nobody sees in a movement. */
  moving = false;
  /** It turns by itself. */
  spinning = false;
  readonly places = new GridPoints();
  readonly #canvases: HTMLCanvasElement[];
  #theme = 0;
  #land: GeoPermissibleObjects | null = null;
  #stale = false;
  #frame = 0;
  /** The zoom at which the whole globe fits, and the visitor's; null: as small as it gets. */
  #least = 0;
  #zoom: number | null = null;
  /** What the sphere is drawn for. */
  #sphere = '';
  /** One for each resolution. */
  readonly #painters = { sharp: new PointPainter(), coarse: new PointPainter() };
  readonly #pace = new Pace();

  constructor(
    private readonly host: HTMLElement,
    private readonly store: MeshStore,
    shown: Shown,
    /** How much of the canvas is covered now. */
    private readonly insets: () => Insets,
    /** The first places, which arrive after the globe, or others are there. */
    private readonly onPoints: () => void,
  ) {
    this.#canvases = [...host.querySelectorAll('canvas')];
    this.palette = readPalette(host);
    this.places.show(shown, store);
    this.points = pointsOf(this.places.drawn());
  }

  get pulseCanvas(): HTMLCanvasElement | undefined {
    return this.#canvases[3];
  }

  get zoom(): number {
    return this.#zoom ?? this.#least;
  }

  set zoom(zoom: number) {
    const bounded = Math.min(ZOOM_MAX, zoom);
    this.#zoom = bounded <= this.#least + 0.01 ? null : bounded;
    this.pose.radius = radiusAt(this.zoom);
  }

  /** Fits the globe into what is free of its element. */
  readonly layOut = (): void => {
    const { pose } = this;
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    const ratio = Math.min(2, devicePixelRatio);
    if (width !== pose.width || height !== pose.height || ratio !== pose.ratio)
      for (const canvas of this.#canvases) resize(canvas, { width, height, ratio });
    const { top, right, bottom, left } = this.insets();
    const [across, down] = [width - left - right, height - top - bottom];
    this.#least = zoomAt(Math.max(RADIUS_MIN, Math.min(across, down) / 2 - MARGIN));
    Object.assign(pose, { width, height, ratio, x: left + across / 2, y: top + down / 2 });
    this.zoom = this.zoom;
    this.drawSoon();
  };

  /** The places have changed. */
  refresh(): void {
    this.#stale = true;
    this.drawSoon();
  }

  recolour(): void {
    this.palette = readPalette(this.host);
    this.#theme++;
    this.drawSoon();
  }

  /** Loads the land. Without it, the places are still worth seeing. */
  async load(): Promise<void> {
    const topology = (await (await fetch(landUrl)).json()) as Parameters<typeof feature>[0];
    const outlines = topology.objects['land'];
    if (outlines) this.#land = feature(topology, outlines);
    this.draw();
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }

  readonly drawSoon = (): void => {
    this.#frame ||= requestAnimationFrame((now) => {
      this.#frame = 0;
      this.note(now);
      this.draw();
    });
  };

  /** Each frame of a movement, ms. */
  note(now: number): void {
    if (this.moving || this.spinning) this.#pace.note(now);
  }

  draw(): void {
    const { pose, moving, palette, host } = this;
    const [sphere, globe, shade] = this.#canvases;
    if (!globe || pose.width === 0) return;
    if (this.#stale) {
      this.points = pointsOf(this.places.drawn());
      this.#stale = false;
      this.onPoints();
    }
    // What the gradients of the sphere depend on: they take longer than everything else.
    const key = [pose.width, pose.height, pose.ratio, pose.x, pose.y, pose.radius, this.#theme];
    if (this.#sphere !== key.join()) {
      this.#sphere = key.join();
      clean(sphere, pose, (context) => drawSphere(context, pose, palette));
      clean(shade, pose, (context) => drawShade(context, pose));
    }
    const coarse = (moving || this.spinning) && this.#pace.slow;
    const drawn = { ...pose, ratio: coarse ? 1 : pose.ratio };
    if (globe.width !== Math.round(pose.width * drawn.ratio)) resize(globe, drawn);
    clean(globe, drawn, (context) => {
      drawLand(context, drawn, this.#land, palette, moving);
      this.#painters[coarse ? 'coarse' : 'sharp'].draw(
        context,
        drawn,
        this.points,
        palette,
        this.#theme,
      );
      this.#drawMarks(context);
      // What Enter opens is near the middle.
      if (!host.matches(':focus-visible')) return;
      context.setLineDash([4, 4]);
      drawRing(context, [pose.x, pose.y], 14, palette.accent);
      context.setLineDash([]);
    });
  }

  /** Where a position is drawn, CSS px; null behind the globe. */
  onScreen(position: LatLng): readonly [x: number, y: number] | null {
    const { x, y, radius, centre } = this.pose;
    const { right, up, front } = rotationTo(centre);
    const at = vectorOf(position);
    return dot(at, front) < 0 ? null : [x + radius * dot(at, right), y - radius * dot(at, up)];
  }

  genesisAt(): readonly [x: number, y: number] | null {
    const { genesis, genesisPlaced } = this.store.head;
    return genesisPlaced ? this.onScreen(genesis) : null;
  }

  /** What is within reach (CSS px) of a point of the canvas: where, in words, and what a click on it selects. */
  hit(px: number, py: number, reach: number): (PointedAt & { selects: Selection }) | null {
    const star = this.genesisAt();
    if (star && Math.hypot(star[0] - px, star[1] - py) <= HALO + 2) {
      const { id, label, status } = this.store.head.genesis;
      const pointed = { kind: 'genesis' as const, label, status };
      return { x: star[0], y: star[1], radius: HALO, pointed, selects: { node: id } };
    }
    const { x, y, radius, centre } = this.pose;
    const near = [(px - x) / radius, (y - py) / radius] as const;
    const point = nearestPoint(this.points, rotationTo(centre), near, reach / radius);
    const at = point && this.onScreen(point);
    if (!at) return null;
    const pointed = this.places.describe({ byStatus: [], ...point.drawn, points: [point] });
    const selects = { at: { lat: point.lat, lng: point.lng } };
    return { x: at[0], y: at[1], radius: RING, pointed, selects };
  }

  #drawMarks(context: CanvasRenderingContext2D): void {
    const { selected, palette } = this;
    const { genesis } = this.store.head;
    const star = this.genesisAt();
    if (star) drawGenesis(context, star, palette, genesis);
    const at = selected && this.onScreen(selected);
    if (!selected || !at) return;
    const isGenesis = star && selected.lat === genesis.lat && selected.lng === genesis.lng;
    drawRing(context, at, isGenesis ? HALO + 3 : RING, palette.accent);
  }
}

type Size = Pick<Pose, 'width' | 'height' | 'ratio'>;

function resize(canvas: HTMLCanvasElement, { width, height, ratio }: Size): void {
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
}

function clean(
  canvas: HTMLCanvasElement | undefined,
  { width, height, ratio }: Size,
  draw: (context: CanvasRenderingContext2D) => void,
): void {
  const context = canvas?.getContext('2d');
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  draw(context);
}

/** A frame that comes later than this after the one before is late; after a longer pause nothing was moving (ms). */
const LATE_MS = 34;
const PAUSE_MS = 300;
/** So many late frames are too many. Each frame in time makes up for a part of one. */
const MOST = 3;
const FORGIVEN = 0.25;

/** Notices a device that is too slow for its resolution. */
export class Pace {
  slow = false;
  #last = 0;
  #late = 0;

  /** @param now of a frame while the globe moves, ms */
  note(now: number): void {
    const gap = now - this.#last;
    this.#last = now;
    if (gap > PAUSE_MS) return;
    this.#late = Math.max(0, this.#late + (gap > LATE_MS ? 1 : -FORGIVEN));
    this.slow ||= this.#late >= MOST;
  }
}
