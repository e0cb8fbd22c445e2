import type { MeshStore } from '#app/features/live/live-store.ts';
import { CELLS, type PulseTuple } from '#server/mesh/places.schema.ts';
import { CALLOUT, calloutAt, calloutCircles, type CalloutName } from '../map/callouts.ts';
import type { Shown } from '../map/grid-points.ts';
import { LandMask } from '../map/land-mask.ts';
import type { Circle, LatLng } from '../map/mercator.ts';
import { readPalette } from '../map/palette.client.ts';
import type { DrawingOptions, Selected } from '../map/use-drawing.ts';
import { BallMarkers, mergedMarker, type BallMarker } from './ball-markers.ts';
import type { Pose } from './draw-globe.client.ts';
import { apartOnScreen } from './edge.ts';
import type { Frame, Standing } from './globe-painter.client.ts';
import { startGlobeThread } from './globe-thread.client.ts';
import { FADE, PULSE_LASTS, PULSES_MOST } from './layers.ts';
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
/** A position nearer to the edge than this is not in view, as a cosine. */
const EDGE = 0.3;
/** How far around a callout markers are in its way, CSS px. */
const NEAR = 120;

/** What is on the side that faces the viewer, where it is drawn. */
export interface Spot extends Circle {
  kind: 'marker' | 'genesis';
  marker: BallMarker | null;
  /** From 0 at the edge to 1. */
  opacity: number;
}

/** The globe as it is seen: how it is turned, where its markers are, and what is drawn of them by its thread. */
export class Scene {
  readonly pose: Pose = {
    ...{ width: 0, height: 0, ratio: 1, x: 0, y: 0, radius: 1 },
    centre: { lat: 20, lng: 0 },
  };
  points: Points;
  selected: Selected | null = null;
  /** Leaves out what nobody sees in a movement. */
  moving = false;
  /** It turns by itself. */
  spinning = false;
  readonly places = new BallMarkers();
  /** How long the last frame took its thread, ms. */
  cost = 0;
  /** The land is there, if it can be loaded. */
  readonly loaded: Promise<void>;
  readonly #thread;
  /** A frame is being painted; another one is to follow it. */
  #painting = false;
  #outdated = false;
  /** What has changed since the last frame, beside the view. */
  #changed = { palette: true, points: true };
  #stale = false;
  #frame = 0;
  /** The zoom at which the whole globe fits, and the visitor's; null: as small as it gets. */
  #least = 0;
  #zoom: number | null = null;
  /** How far Genesis and the chosen node stand beside their places, CSS px; found while nothing moves. */
  #settled = false;
  #spots: { pose: string; markers: BallMarker[]; spots: MarkerSpot[] } | undefined;
  #offsets: { key: string; genesis: Offset | null; chosen: Offset | null } | undefined;
  readonly #pace = new Pace();
  /** When the pulses that are shown end, ms. */
  readonly #pulseEnds: Record<keyof typeof PULSE_LASTS, number[]> = { heartbeat: [], welcome: [] };

  constructor(
    private readonly host: HTMLElement,
    private readonly store: MeshStore,
    shown: Shown,
    /** How much of the element is covered, now or once a sheet rests. */
    private readonly insets: DrawingOptions['insets'],
    /** The first places, which arrive after the globe, or others are there. */
    private readonly onPoints: () => void,
  ) {
    this.places.show(shown, store);
    this.points = pointsOf(this.places.drawn());
    const { promise, resolve } = deferred();
    this.loaded = promise;
    this.#thread = startGlobeThread(host, {
      onPainted: (ms) => {
        this.#painting = false;
        this.cost = ms;
        if (this.moving || this.spinning) this.#pace.note(ms);
        if (this.#outdated) this.drawSoon();
      },
      onLand: (bits) => {
        if (bits) this.places.stayOn(new LandMask(bits));
        this.refresh();
        resolve();
      },
    });
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
    this.#changed.palette = true;
    this.drawSoon();
  }

  /** A heartbeat arrived there. */
  pulse([lat, lng, , cell, joined]: PulseTuple): void {
    const kind = joined === undefined ? 'heartbeat' : 'welcome';
    const now = performance.now();
    const ends = this.#pulseEnds[kind].filter((end) => end > now);
    this.#pulseEnds[kind] = ends;
    if (document.hidden || ends.length >= PULSES_MOST[kind]) return;
    ends.push(now + PULSE_LASTS[kind]);
    const marker = this.markerOf({ lat, lng });
    this.#thread.pulse({
      kind,
      at: marker?.at ?? vectorOf({ lat, lng }),
      status: CELLS[cell]?.status ?? 'online',
      radius: marker?.radius ?? null,
      text: joined === undefined ? '' : `${joined} joined`,
    });
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#thread.stop();
  }

  readonly drawSoon = (): void => {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.draw();
    });
  };

  draw(): void {
    const { pose, moving } = this;
    if (pose.width === 0) return;
    if (this.#stale) {
      this.points = pointsOf(this.places.drawn());
      this.#stale = false;
      this.#changed.points = true;
      this.onPoints();
    }
    // Frames that nobody would see don't queue up.
    this.#outdated = this.#painting;
    if (this.#painting) return;
    this.#painting = true;
    const { genesis, chosen } = this.#callouts();
    const { selected } = this;
    const { status } = this.store.head.genesis;
    const { palette, points } = this.#changed;
    this.#changed = { palette: false, points: false };
    this.#thread.paint({
      pose: { ...pose },
      moving,
      coarse: (moving || this.spinning) && this.#pace.slow,
      markers: this.markerSpots().map(
        ({ x, y, radius, opacity, marker: { byStatus, count, dimmed, total, icon } }) => ({
          ...{ x, y, radius, opacity },
          ...{ byStatus, count, dimmed, total, icon },
        }),
      ),
      genesis: genesis && { ...genesis, status },
      chosen: chosen && selected?.node ? { ...chosen, status: selected.node.status } : null,
      ring: this.#ring(genesis),
      ...(palette ? { palette: readPalette(this.host) } : {}),
      ...(points ? { points: this.points } : {}),
    });
  }

  /** Around a place or Genesis that is selected. */
  #ring(genesis: Standing | null): Frame['ring'] {
    const { selected } = this;
    if (!selected || selected.node) return null;
    const { lat, lng } = this.store.head.genesis;
    if (genesis && selected.lat === lat && selected.lng === lng)
      return { x: genesis.x, y: genesis.y, radius: CALLOUT + 3 };
    const spot = this.#spotOf(selected);
    return spot ? { x: spot.x, y: spot.y, radius: spot.radius + 4 } : null;
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
}

type MarkerSpot = Spot & { marker: BallMarker };

/** How far beside a place something stands, CSS px. */
interface Offset {
  dx: number;
  dy: number;
  name: CalloutName;
}

/** The radius that a globe has in what is free of its element, px. */
function radiusIn(across: number, down: number): number {
  // On a phone the height is what there is: it is cut at both sides.
  if (innerWidth < WIDTHS.phone && down > across) return down / 2 - MARGIN.phone;
  const shorter = Math.min(across, down);
  return innerWidth < WIDTHS.desktop ? shorter * TABLET_SHARE : shorter / 2 - MARGIN.desktop;
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** A frame that takes longer than this is late, ms. */
const LATE_MS = 34;
/** So many late frames are too many. Each frame in time makes up for a part of one. */
const MOST = 3;
const FORGIVEN = 0.25;

/** Notices a device that is too slow for its resolution. */
export class Pace {
  slow = false;
  #late = 0;

  /** @param ms that a frame of a movement took */
  note(ms: number): void {
    this.#late = Math.max(0, this.#late + (ms > LATE_MS ? 1 : -FORGIVEN));
    this.slow ||= this.#late >= MOST;
  }
}
