import type { Genesis } from '#server/mesh/mesh.schema.ts';
import type { Place, PulseTuple } from '#server/mesh/places.schema.ts';
import type { Listener, MeshStore } from '#app/features/live/live-store.ts';
import { HALO, RADIUS } from '#app/ui/status-shapes.ts';
import type { PlaceFilter } from '../place-filter.ts';
import { CanvasLayer, type View } from './canvas-layer.client.ts';
import {
  drawCluster,
  drawGenesis,
  drawLeader,
  drawRing,
  drawSprites,
  type Sprites,
} from './draw.client.ts';
import { clusterRadius, ICONS, type LatLng, type Marker } from './marker.ts';
import { Markers } from './markers.ts';
import { project, type Box } from './mercator.ts';
import type { Pointed } from './marker-description.ts';
import type { Palette } from './palette.client.ts';
import { runInSlices } from './slices.client.ts';

/** How far outside the view a marker is still drawn, because it may extend into the view, CSS px. */
const MARGIN = 24;
/** Radius of the largest cluster, CSS px. */
const LARGEST = clusterRadius(Infinity);
/** How far from a node the cluster that it belongs to may be, CSS px. */
const REACH = 80;
/** Markers drawn before yielding. */
const STEP = 128;

/** What is under the pointer. */
export type Hit = { kind: 'marker'; marker: Marker } | { kind: 'genesis' } | null;

/** What the map shows. */
export interface Shown {
  filter: PlaceFilter;
  /** Instead of all places those of a search; null: all. */
  places: readonly Place[] | null;
  /** They are of another time, so heartbeats of now don't pulse there. */
  past?: true;
}

/** All places with nodes that match the filter, and Genesis, on one canvas. */
export class PlaceLayer extends CanvasLayer {
  readonly #markers = new Markers();
  #sprites: Sprites | undefined;
  #genesis: Genesis['status'] | undefined;
  #selected: LatLng | null = null;
  #places: readonly Place[] | null = null;
  #past = false;
  readonly #unfollow: () => void;

  constructor(
    private readonly store: MeshStore,
    private palette: Palette,
    shown: Shown,
    private readonly listeners: {
      drawn: () => void;
      /** What is drawn has changed; all of it, or a part. */
      changed: (all: boolean) => void;
    },
  ) {
    super('overlayPane');
    this.#places = shown.places;
    this.#past = shown.past ?? false;
    this.#markers.filter(shown.filter);
    this.#markers.replace(shown.places ?? store.rows());
    this.#unfollow = store.subscribe((change) => this.#update(change));
  }

  override onRemove(): this {
    this.#unfollow();
    return super.onRemove();
  }

  setPalette(palette: Palette): void {
    this.palette = palette;
    this.#sprites = undefined;
    this.redraw();
  }

  show({ filter, places, past }: Shown): void {
    const replaced = places !== this.#places;
    this.#places = places;
    this.#past = past ?? false;
    this.#markers.filter(filter);
    if (replaced) this.#markers.replace(places ?? this.store.rows());
    this.redrawSoon();
    this.listeners.changed(true);
  }

  /** Draws a ring around the marker at this position, or no ring. */
  select(position: LatLng | null): void {
    this.#selected = position;
    this.redrawSoon();
  }

  /** Whether a node that was heard from is among what is drawn. */
  shows(pulse: PulseTuple): boolean {
    return !this.#past && this.#markers.shows(pulse);
  }

  /** Where nodes are that are not offline, and how many: x, y (px at zoom 0), count and so on. */
  alive(): Float32Array {
    return this.#markers.alive();
  }

  /** The southernmost latitude where something is drawn, degrees. */
  south(): number {
    const { genesis, genesisPlaced } = this.store.head;
    return Math.min(this.#markers.south(), genesisPlaced ? genesis.lat : 90);
  }

  /** Where something is drawn, Genesis too. */
  *positions(): IterableIterator<LatLng> {
    yield* this.#markers.drawn();
    const { genesis, genesisPlaced } = this.store.head;
    if (genesisPlaced) yield genesis;
  }

  /** What is drawn within `reach` (CSS px) of a point of the world; the nearest of several. */
  hit({ x, y }: { x: number; y: number }, scale: number, reach: number): Hit {
    let found: Hit = null;
    let least = Infinity;
    const consider = (hit: Hit, at: { x: number; y: number }, radius: number) => {
      const distance = Math.hypot(at.x - x, at.y - y) * scale;
      if (distance > radius + reach || distance - radius >= least) return;
      least = distance - radius;
      found = hit;
    };
    const around = boxAround({ x, y }, (LARGEST + reach) / scale);
    for (const marker of this.#markers.within(around, scale))
      consider({ kind: 'marker', marker }, marker, radiusOf(marker));
    const { genesis, genesisPlaced } = this.store.head;
    if (genesisPlaced) {
      const at = this.#genesisAt(genesis, scale);
      consider({ kind: 'genesis' }, { x: at.x / scale, y: at.y / scale }, HALO);
    }
    return found;
  }

  /** Most heartbeats change nothing that is drawn, and cause no redraw. */
  #update({ all, rows }: Parameters<Listener<Place>>[0]): void {
    const { status } = this.store.head.genesis;
    let changed = status !== this.#genesis;
    this.#genesis = status;
    if (this.#places === null) {
      if (all) {
        this.#markers.replace(this.store.rows());
        changed = true;
      } else for (const place of rows) if (this.#markers.set(place)) changed = true;
    }
    if (!changed) return;
    this.redrawSoon();
    this.listeners.changed(all);
  }

  /** How far Genesis is drawn above its position, CSS px, so that it and the markers there don't hide each other. */
  #lift(scale: number): number {
    const { lat, lng } = this.store.head.genesis;
    const at = project(lat, lng);
    let lift = 0;
    for (const marker of this.#markers.within(boxAround(at, (LARGEST + HALO) / scale), scale)) {
      const [dx, dy] = [(marker.x - at.x) * scale, (marker.y - at.y) * scale];
      const reach = marker.radius + HALO;
      if (Math.hypot(dx, dy) < reach) lift = Math.max(lift, reach + 3 - dy);
    }
    return lift;
  }

  /** What it is, for those who point at it. */
  describe(hit: NonNullable<Hit>): Pointed {
    if (hit.kind === 'genesis') {
      const { label, status } = this.store.head.genesis;
      return { kind: 'genesis', label, status };
    }
    const { byStatus, icon } = hit.marker;
    const size = icon === null ? null : (ICONS[icon]?.size ?? null);
    const regions = this.#markers.regionsOf(hit.marker);
    if (this.#past) return { kind: 'marker', byStatus, size: null, regions, past: true };
    return { kind: 'marker', byStatus, size, regions };
  }

  /** Where it is drawn, CSS px at this scale. */
  circleOf(hit: NonNullable<Hit>, scale: number): Circle {
    const { genesis } = this.store.head;
    return hit.kind === 'genesis' ? this.#genesisAt(genesis, scale) : circleOf(hit.marker, scale);
  }

  /** Everything in a part of the map, with its position and radius, CSS px at this scale. */
  hitsIn(box: Box, scale: number): (Circle & { hit: NonNullable<Hit> })[] {
    const hits: (Circle & { hit: NonNullable<Hit> })[] = this.#markers
      .within(box, scale)
      .map((marker) => ({
        hit: { kind: 'marker', marker },
        ...circleOf(marker, scale),
      }));
    const { genesis, genesisPlaced } = this.store.head;
    if (genesisPlaced) hits.push({ hit: { kind: 'genesis' }, ...this.#genesisAt(genesis, scale) });
    return hits;
  }

  #genesisAt({ lat, lng }: LatLng, scale: number): Circle {
    const { x, y } = project(lat, lng);
    return { x: x * scale, y: y * scale - this.#lift(scale), radius: HALO };
  }

  /** Where names would be hidden: x, y and radius of each marker, CSS px on the canvas. */
  obstacles(view: View): number[] {
    const { scale, x: left, y: top, worlds } = view;
    const hits = this.hitsIn(boxOf(view), scale);
    return worlds.flatMap((world) =>
      hits.flatMap(({ x, y, radius }) => [x + world * scale - left, y - top, radius]),
    );
  }

  protected override async draw(
    canvas: HTMLCanvasElement,
    view: View,
    signal: AbortSignal,
  ): Promise<void> {
    const context = canvas.getContext('2d');
    if (!context) return;
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    await runInSlices(this.#steps(context, view), signal);
    if (!signal.aborted) this.listeners.drawn();
  }

  *#steps(context: CanvasRenderingContext2D, view: View): Generator<void> {
    const { ratio } = view;
    if (this.#sprites?.ratio !== ratio)
      this.#sprites = { ratio, images: drawSprites(ICONS, this.palette, ratio) };
    const { images } = this.#sprites;
    const { scale, width, height, worlds } = view;
    const markers = this.#markers.within(boxOf(view), scale);
    yield;
    const { genesis, genesisPlaced } = this.store.head;
    const lift = genesisPlaced ? this.#lift(scale) : 0;
    for (const world of worlds) {
      const edge = view.x - world * scale;
      const at = project(genesis.lat, genesis.lng);
      const foot = [at.x * scale - edge, at.y * scale - view.y] as const;
      // Below the markers: the line ends at the rim of the one that it points to.
      if (genesisPlaced) drawLeader(context, foot, lift, this.palette, genesis.status);
      let count = 0;
      for (const marker of markers) {
        if (++count % STEP === 0) yield;
        const x = marker.x * scale - edge;
        const y = marker.y * scale - view.y;
        if (x < -MARGIN || y < -MARGIN || x > width + MARGIN || y > height + MARGIN) continue;
        if (marker.icon === null) {
          drawCluster(context, marker, [x, y], this.palette);
          continue;
        }
        const image = images[marker.icon] as ImageBitmap;
        const extent = image.width / ratio;
        // Whole pixels, because a bitmap between them is resampled, which is slower and less sharp.
        const left = Math.round((x - extent / 2) * ratio) / ratio;
        const top = Math.round((y - extent / 2) * ratio) / ratio;
        context.drawImage(image, left, top, extent, extent);
      }
      if (genesisPlaced) drawGenesis(context, foot, lift, this.palette, genesis.status);
      if (this.#selected) this.#drawRing(context, this.#selected, scale, edge, view.y, foot, lift);
    }
  }

  /** Around Genesis, or around the marker of the selected position. */
  #drawRing(
    context: CanvasRenderingContext2D,
    selected: LatLng,
    scale: number,
    edge: number,
    top: number,
    foot: readonly [number, number],
    lift: number,
  ): void {
    const { genesis, genesisPlaced } = this.store.head;
    if (genesisPlaced && selected.lat === genesis.lat && selected.lng === genesis.lng) {
      drawRing(context, [foot[0], foot[1] - lift], HALO + 3, this.palette.accent);
      return;
    }
    const { x, y } = project(selected.lat, selected.lng);
    const near = this.#markers
      .within(boxAround({ x, y }, REACH / scale), scale)
      .filter(({ bounds: [from, to] }) => isBetween(selected, from, to))
      .sort((a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y))[0];
    const at = near ?? { x, y, radius: RADIUS.L };
    const middle = [at.x * scale - edge, at.y * scale - top] as const;
    drawRing(context, middle, at.radius + 5, this.palette.accent);
  }
}

interface Circle {
  x: number;
  y: number;
  radius: number;
}

const circleOf = (marker: Marker, scale: number): Circle => ({
  x: marker.x * scale,
  y: marker.y * scale,
  radius: radiusOf(marker),
});

const radiusOf = ({ icon, radius }: Marker): number =>
  icon === null ? radius : RADIUS[ICONS[icon]?.size ?? 'S'];

const isBetween = ({ lat, lng }: LatLng, from: LatLng, to: LatLng): boolean =>
  from.lat <= lat && lat <= to.lat && from.lng <= lng && lng <= to.lng;

const boxAround = ({ x, y }: { x: number; y: number }, reach: number): Box => ({
  left: x - reach,
  right: x + reach,
  top: y - reach,
  bottom: y + reach,
});

/** What the view shows, with the markers that extend into it. */
const boxOf = ({ scale, x, y, width, height }: View): Box => ({
  left: (x - MARGIN) / scale,
  right: (x + width + MARGIN) / scale,
  top: (y - MARGIN) / scale,
  bottom: (y + height + MARGIN) / scale,
});
