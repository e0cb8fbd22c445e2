import { feature } from 'topojson-client';
import landUrl from 'world-atlas/land-110m.json?url';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { CALLOUT, calloutAt, calloutCircles, type CalloutName } from '../map/callouts.ts';
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
import { ICONS, type Shown } from '../map/grid-points.ts';
import { LandMask, landBits } from '../map/land-mask.ts';
import type { Borders } from '../map/geography.ts';
import bordersUrl from '../map/geography/far-borders.json?url';
import { landOutlines, positionsOf } from '../map/land-outlines.ts';
import type { Circle, LatLng } from '../map/mercator.ts';
import { readPalette, type Palette } from '../map/palette.client.ts';
import type { DrawingOptions, Selected } from '../map/use-drawing.ts';
import { BallMarkers, mergedMarker, type BallMarker } from './ball-markers.ts';
import { drawLand, drawShade, drawSphere, type Outlines, type Pose } from './draw-globe.client.ts';
import { apartOnScreen } from './edge.ts';
import { LightPainter } from './light-painter.client.ts';
import { dot, radiusAt, rotationTo, vectorOf, zoomAt } from './orientation.ts';
import { pointsOf, type Points } from './points.ts';

/** Space above and below the globe, CSS px; its share of the shorter side between phone and desktop; its least radius. */
const MARGIN = { desktop: 16, phone: 22 };
const TABLET_SHARE = 0.46;
/** Of the window. */
const WIDTHS = { phone: 600, desktop: 1024 };
const RADIUS_MIN = 60;
/** A sheet that covers more than this moves a phone's globe without making it smaller, CSS px. */
const PEEK = 130;
/** The same on a tablet, as a share of the height. */
const HALF = 0.5;
/** Highest zoom: beyond it the flat map shows more. */
export const ZOOM_MAX = 6;
/** Markers fade over the last 8 degrees before the edge. */
const FADE = Math.sin((8 * Math.PI) / 180);
/** A position nearer to the edge than this is not in view, as a cosine. */
const EDGE = 0.3;
/** Side of the picture that tells where land is, px. */
const MASK = 512;
/** How far around a callout markers are in its way, CSS px. */
const NEAR = 120;

/** What is on the side that faces the viewer, where it is drawn. */
export interface Spot extends Circle {
  kind: 'marker' | 'genesis';
  marker: BallMarker | null;
  /** From 0 at the edge to 1. */
  opacity: number;
}

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
  selected: Selected | null = null;
  /** Leaves out what nobody sees in a movement. */
  moving = false;
  /** It turns by itself. */
  spinning = false;
  readonly places = new BallMarkers();
  readonly #canvases: HTMLCanvasElement[];
  #theme = 0;
  readonly #outlines: Outlines = { land: null, borders: null };
  #stale = false;
  #frame = 0;
  /** The zoom at which the whole globe fits, and the visitor's; null: as small as it gets. */
  #least = 0;
  #zoom: number | null = null;
  /** What the sphere is drawn for. */
  #sphere = '';
  readonly #lights = new LightPainter();
  #sprites: { key: string; images: ImageBitmap[] } | undefined;
  /** How far Genesis and the chosen node stand beside their places, CSS px; found while nothing moves. */
  #settled = false;
  #spots: { pose: string; markers: BallMarker[]; spots: MarkerSpot[] } | undefined;
  #offsets: { key: string; genesis: Offset | null; chosen: Offset | null } | undefined;
  readonly #pace = new Pace();

  constructor(
    private readonly host: HTMLElement,
    private readonly store: MeshStore,
    shown: Shown,
    /** How much of the canvas is covered, now or once a sheet rests. */
    private readonly insets: DrawingOptions['insets'],
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
    // The switch of the views at the upper end covers a corner only.
    const { right, bottom, left } = this.insets(true);
    const across = width - left - right;
    const covered = Math.min(bottom, innerWidth < WIDTHS.phone ? PEEK : HALF * height);
    this.#least = zoomAt(Math.max(RADIUS_MIN, radiusIn(across, height - covered)));
    Object.assign(pose, { width, height, ratio, x: left + across / 2, y: (height - bottom) / 2 });
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
    if (outlines) this.#outlines.land = feature(topology, outlines);
    this.draw();
    void this.#loadBorders();
    // Not in the same task: it takes as long as a frame.
    await new Promise((resolve) => setTimeout(resolve));
    this.places.stayOn(new LandMask(landBits(landOutlines(topology), MASK)));
    this.refresh();
  }

  /** Without the borders of countries, their land is still there. */
  async #loadBorders(): Promise<void> {
    const response = await fetch(bordersUrl).catch(() => null);
    if (!response?.ok) return;
    const { units, lines } = (await response.json()) as Borders;
    const coordinates = lines.map((line) => positionsOf(line, units));
    this.#outlines.borders = { type: 'MultiLineString', coordinates };
    this.drawSoon();
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
    const { pose, moving, palette } = this;
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
      clean(shade, pose, (context) => drawShade(context, pose, palette));
    }
    const coarse = (moving || this.spinning) && this.#pace.slow;
    const drawn = { ...pose, ratio: coarse ? 1 : pose.ratio };
    if (globe.width !== Math.round(pose.width * drawn.ratio)) resize(globe, drawn);
    clean(globe, drawn, (context) => {
      drawLand(context, drawn, this.#outlines, palette, moving || coarse);
      this.#lights.draw(context, drawn, this.points, palette, moving);
      this.#drawNames(context);
      this.#drawMarkers(context, drawn.ratio);
    });
  }

  /** Where a position is drawn, CSS px; null behind the globe. */
  onScreen(position: LatLng): readonly [x: number, y: number] | null {
    const { x, y, radius, centre } = this.pose;
    const { right, up, front } = rotationTo(centre);
    const at = vectorOf(position);
    return dot(at, front) < 0 ? null : [x + radius * dot(at, right), y - radius * dot(at, up)];
  }

  /** Whether a position faces the viewer where nothing covers the globe, and not at its edge. */
  isInView(position: LatLng): boolean {
    const at = this.onScreen(position);
    if (!at) return false;
    const { width, height } = this.pose;
    const { top, right, bottom, left } = this.insets();
    const depth = dot(vectorOf(position), rotationTo(this.pose.centre).front);
    return (
      depth > EDGE &&
      at[0] > left + CALLOUT &&
      at[0] < width - right - CALLOUT &&
      at[1] > top + CALLOUT &&
      at[1] < height - bottom - CALLOUT
    );
  }

  /** All markers on the side that faces the viewer, those at the edge first. They are found once for each pose. */
  markerSpots(): MarkerSpot[] {
    const { x, y, width, height, radius, centre } = this.pose;
    const markers = this.places.at(this.zoom, this.moving);
    const pose = `${x} ${y} ${width} ${height} ${radius} ${centre.lat} ${centre.lng}`;
    if (this.#spots?.pose === pose && this.#spots.markers === markers) return this.#spots.spots;
    const { right, up, front } = rotationTo(centre);
    const spotOf = (marker: BallMarker): MarkerSpot => ({
      ...{ kind: 'marker', marker, radius: marker.radius },
      x: x + radius * dot(marker.at, right),
      y: y - radius * dot(marker.at, up),
      opacity: Math.max(0, Math.min(1, dot(marker.at, front) / FADE)),
    });
    const facing = markers.map(spotOf).filter(({ x, y, radius, opacity }) => {
      const reach = radius + 2;
      return opacity > 0 && x > -reach && y > -reach && x < width + reach && y < height + reach;
    });
    // The largest first: whoever is in its way becomes a part of it.
    const spots = apartOnScreen(facing.reverse(), (a, b) =>
      spotOf(mergedMarker(a.marker, b.marker)),
    );
    spots.sort((a, b) => a.opacity - b.opacity);
    this.#spots = { pose, markers, spots };
    return spots;
  }

  /** The marker that a place is a part of; absent behind the globe. */
  #spotOf({ lat, lng }: LatLng): MarkerSpot | undefined {
    return this.markerSpots().find(({ marker }) =>
      marker.points.some((point) => point.lat === lat && point.lng === lng),
    );
  }

  /** Its marker: where a heartbeat is shown. */
  markerOf(place: LatLng): BallMarker | undefined {
    return this.#spotOf(place)?.marker ?? this.places.of(place, this.zoom);
  }

  /** Everything that can be pointed at. */
  spots(): Spot[] {
    const spots: Spot[] = this.markerSpots().filter(
      ({ marker, opacity }) => marker.count > 0 && opacity > 0.5,
    );
    const genesis = this.#callouts().genesis;
    if (genesis) spots.push({ ...genesis, kind: 'genesis', marker: null, radius: CALLOUT });
    return spots;
  }

  /** What is within reach (CSS px) of a point of the canvas; the nearest of several. */
  hit(px: number, py: number, reach: number): Spot | null {
    let found: Spot | null = null;
    let least = Infinity;
    for (const spot of this.spots()) {
      const far = Math.hypot(spot.x - px, spot.y - py);
      if (far <= Math.max(spot.radius, reach) && far - spot.radius < least)
        [found, least] = [spot, far - spot.radius];
    }
    return found;
  }

  /** Where Genesis and the chosen node stand now, and where their places are; null behind the globe. */
  #callouts(): { genesis: Standing | null; chosen: Standing | null } {
    const { genesis, genesisPlaced } = this.store.head;
    const chosen = this.selected?.node ? this.selected : null;
    const places = {
      genesis: genesisPlaced ? this.onScreen(genesis) : null,
      chosen: chosen ? this.onScreen(chosen) : null,
    };
    const key = [
      this.places.version,
      Math.round(this.zoom * 4),
      places.genesis !== null,
      chosen && places.chosen && `${chosen.lat},${chosen.lng},${chosen.node?.label}`,
    ].join(' ');
    const still = !this.moving && !this.spinning;
    if (this.#offsets?.key !== key || (still && !this.#settled)) {
      this.#settled = still;
      const taken: Circle[] = [];
      const offsetOf = (place: readonly [number, number] | null, label: string, alone: boolean) => {
        if (!place) return null;
        const [x, y] = place;
        const others = this.markerSpots()
          .filter(
            (spot) =>
              Math.hypot(spot.x - x, spot.y - y) < NEAR &&
              !(alone && spot.marker.total === 1 && Math.hypot(spot.x - x, spot.y - y) < 1),
          )
          .map((spot) => ({ x: spot.x, y: spot.y, radius: spot.radius + 1.5 }));
        const at = calloutAt({ x, y }, label, [...others, ...taken]);
        taken.push(...calloutCircles(at));
        return { dx: at.x - x, dy: at.y - y, name: at.name };
      };
      const beside = offsetOf(places.genesis, genesis.label, false);
      this.#offsets = {
        key,
        genesis: beside,
        chosen: offsetOf(places.chosen, chosen?.node?.label ?? '', true),
      };
    }
    const { front } = rotationTo(this.pose.centre);
    const standing = (
      position: LatLng | null,
      place: readonly [number, number] | null,
      offset: Offset | null | undefined,
    ): Standing | null =>
      position && place && offset
        ? {
            ...{ x: place[0] + offset.dx, y: place[1] + offset.dy, foot: place, name: offset.name },
            opacity: Math.min(1, dot(vectorOf(position), front) / FADE),
          }
        : null;
    return {
      genesis: standing(genesis, places.genesis, this.#offsets?.genesis),
      chosen: standing(chosen, places.chosen, this.#offsets?.chosen),
    };
  }

  #drawMarkers(context: CanvasRenderingContext2D, ratio: number): void {
    const { palette, store } = this;
    const key = `${this.#theme} ${ratio}`;
    if (this.#sprites?.key !== key)
      this.#sprites = { key, images: drawSprites(ICONS, palette, ratio) };
    const { images } = this.#sprites;
    for (const { marker, x, y, opacity } of this.markerSpots()) {
      context.globalAlpha = opacity;
      if (marker.icon === null) drawCluster(context, marker, [x, y], palette);
      else
        drawImage(context, images[marker.icon] as ImageBitmap, [x, y], ratio, marker.count === 0);
    }
    const { genesis, chosen } = this.#callouts();
    if (genesis) {
      context.globalAlpha = genesis.opacity;
      const { x, y, foot } = genesis;
      drawLead(context, [x, y], foot, CALLOUT, genesisColour(palette, store.head.genesis.status));
      drawGenesis(context, [x, y], palette, store.head.genesis.status, genesis.name);
    }
    const { selected } = this;
    if (chosen && selected?.node) {
      context.globalAlpha = chosen.opacity;
      drawLead(context, [chosen.x, chosen.y], chosen.foot, CALLOUT, palette.accent);
      drawChosen(context, [chosen.x, chosen.y], palette, selected.node.status, chosen.name);
    }
    context.globalAlpha = 1;
    if (!selected || selected.node) return;
    const isGenesis =
      selected.lat === store.head.genesis.lat && selected.lng === store.head.genesis.lng;
    const spot = this.#spotOf(selected);
    if (isGenesis && genesis)
      drawRing(context, [genesis.x, genesis.y], CALLOUT + 3, palette.accent);
    else if (spot) drawRing(context, [spot.x, spot.y], spot.radius + 4, palette.accent);
  }

  /** The few names of a whole world, where no marker is in their way. */
  #drawNames(context: CanvasRenderingContext2D): void {
    const { palette, pose } = this;
    const { right, up, front } = rotationTo(pose.centre);
    const markers = this.markerSpots();
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
        const covered = markers.some(
          (marker) =>
            Math.abs(marker.y - y) < marker.radius + 8 &&
            Math.abs(marker.x - x) < marker.radius + half,
        );
        if (covered) continue;
        context.globalAlpha = Math.min(1, (depth - NAME_DEPTH) / FADE);
        context.strokeText(text, x, y);
        context.fillText(text, x, y);
      }
    }
    context.letterSpacing = '0px';
    context.globalAlpha = 1;
  }
}

type MarkerSpot = Spot & { marker: BallMarker };

/** How far beside a place something stands, CSS px. */
interface Offset {
  dx: number;
  dy: number;
  name: CalloutName;
}

interface Standing {
  x: number;
  y: number;
  foot: readonly [x: number, y: number];
  name: CalloutName;
  opacity: number;
}

/** Names begin so far from the edge, as a cosine, and half the width of a letter, CSS px. */
const NAME_DEPTH = 0.35;
const LETTER = 3.6;

/** The radius that a globe has in what is free of its element, px. */
function radiusIn(across: number, down: number): number {
  // On a phone the height is what there is: it is cut at both sides.
  if (innerWidth < WIDTHS.phone && down > across) return down / 2 - MARGIN.phone;
  const shorter = Math.min(across, down);
  return innerWidth < WIDTHS.desktop ? shorter * TABLET_SHARE : shorter / 2 - MARGIN.desktop;
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
