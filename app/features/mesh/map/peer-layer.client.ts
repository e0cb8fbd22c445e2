import type { Genesis, Peer } from '#server/mesh/mesh.schema.ts';
import type { Listener, MeshStore } from '#app/features/live/live-store.ts';
import { CanvasLayer, type View } from './canvas-layer.client.ts';
import { drawCluster, drawGenesis, drawRing, drawSprites, type Sprites } from './draw.client.ts';
import { HALO, RADIUS } from '#app/ui/status-shapes.ts';
import { project } from './land-layer.client.ts';
import { ICONS, Markers, type LatLng, type Marker } from './markers.ts';
import type { Palette } from './palette.client.ts';

/** How far outside the view a marker is still drawn, because it may extend into the view, CSS px. */
const MARGIN = 24;
/** Markers drawn before yielding. */
const STEP = 128;

/** What is under the pointer. */
export type Hit = { kind: 'marker'; marker: Marker } | { kind: 'genesis' } | null;

/** All nodes that match the filter, and Genesis, on one canvas. */
export class PeerLayer extends CanvasLayer {
  readonly #markers = new Markers(project);
  #sprites: Sprites | undefined;
  #genesis: Genesis['status'] | undefined;
  #selected: LatLng | null = null;
  readonly #unfollow: () => void;

  constructor(
    private readonly store: MeshStore,
    private palette: Palette,
    matches: (peer: Peer) => boolean,
    private readonly onDrawn: () => void,
  ) {
    super('overlayPane');
    this.#markers.filter(matches);
    this.#update({ all: true, rows: [] });
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

  filter(matches: (peer: Peer) => boolean): void {
    this.#markers.filter(matches);
    this.redrawSoon();
  }

  /** Draws a ring around the marker at this position, or no ring. */
  select(position: LatLng | null): void {
    this.#selected = position;
    this.redrawSoon();
  }

  /** Where the node is shown; undefined if it is filtered out. */
  find(id: string): LatLng | undefined {
    return this.#markers.find(id);
  }

  /** What is drawn within `reach` (CSS px) of a point of the world; the nearest of several. */
  hit(point: { x: number; y: number }, scale: number, reach: number): Hit {
    let found: Hit = null;
    let least = Infinity;
    const consider = (hit: Hit, x: number, y: number, radius: number) => {
      const distance = Math.hypot(x - point.x, y - point.y) * scale;
      if (distance > radius + reach || distance - radius >= least) return;
      least = distance - radius;
      found = hit;
    };
    for (const marker of this.#markers.at(scale))
      consider({ kind: 'marker', marker }, marker.x, marker.y, radiusOf(marker));
    const at = project(this.store.head.genesis.lat, this.store.head.genesis.lng);
    consider({ kind: 'genesis' }, at.x, at.y - this.#lift(scale) / scale, HALO);
    return found;
  }

  /** Most heartbeats change nothing that is drawn, and cause no redraw. */
  #update({ all, rows }: Parameters<Listener<Peer>>[0]): void {
    const { status } = this.store.head.genesis;
    let changed = all || status !== this.#genesis;
    this.#genesis = status;
    if (all) this.#markers.clear();
    for (const peer of all ? this.store.rows() : rows) if (this.#markers.set(peer)) changed = true;
    if (changed) this.redrawSoon();
  }

  /** How far Genesis is drawn above its position, CSS px, so that it and the markers there don't hide each other. */
  #lift(scale: number): number {
    const { lat, lng } = this.store.head.genesis;
    const at = project(lat, lng);
    let lift = 0;
    for (const marker of this.#markers.at(scale)) {
      const [dx, dy] = [(marker.x - at.x) * scale, (marker.y - at.y) * scale];
      const reach = marker.radius + HALO;
      if (Math.hypot(dx, dy) < reach) lift = Math.max(lift, reach + 3 - dy);
    }
    return lift;
  }

  protected override *draw(context: CanvasRenderingContext2D, view: View): Generator<void> {
    const ratio = window.devicePixelRatio || 1;
    if (this.#sprites?.ratio !== ratio)
      this.#sprites = { ratio, images: drawSprites(ICONS, this.palette, ratio) };
    const { images } = this.#sprites;
    const { scale, width, height, worlds } = view;
    const markers = this.#markers.at(scale);
    const lift = this.#lift(scale);
    for (const world of worlds) {
      const edge = view.x - world * scale;
      let count = 0;
      for (const marker of markers) {
        if (++count % STEP === 0) yield;
        const x = marker.x * scale - edge;
        const y = marker.y * scale - view.y;
        if (x < -MARGIN || y < -MARGIN || x > width + MARGIN || y > height + MARGIN) continue;
        if (!marker.peer) {
          drawCluster(context, marker, [x, y], this.palette);
          continue;
        }
        const image = images[marker.peer.icon] as ImageBitmap;
        const extent = image.width / ratio;
        // Whole pixels, because a bitmap between them is resampled, which is slower and less sharp.
        const left = Math.round((x - extent / 2) * ratio) / ratio;
        const top = Math.round((y - extent / 2) * ratio) / ratio;
        context.drawImage(image, left, top, extent, extent);
      }
      const { genesis } = this.store.head;
      const at = project(genesis.lat, genesis.lng);
      const foot = [at.x * scale - edge, at.y * scale - view.y] as const;
      drawGenesis(context, foot, lift, this.palette, genesis.status);
      if (this.#selected) this.#drawRing(context, this.#selected, scale, edge, view.y, foot, lift);
    }
    this.onDrawn();
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
    const { genesis } = this.store.head;
    if (selected.lat === genesis.lat && selected.lng === genesis.lng) {
      drawRing(context, [foot[0], foot[1] - lift], HALO + 3, this.palette.accent);
      return;
    }
    const { x, y } = project(selected.lat, selected.lng);
    const near = this.#markers
      .at(scale)
      .find((marker) => Math.hypot(marker.x - x, marker.y - y) * scale < marker.radius);
    const at = near ?? { x, y, radius: RADIUS.L };
    const middle = [at.x * scale - edge, at.y * scale - top] as const;
    drawRing(context, middle, at.radius + 5, this.palette.accent);
  }
}

const radiusOf = ({ peer, radius }: Marker): number =>
  peer ? RADIUS[ICONS[peer.icon]?.size ?? 'S'] : radius;
