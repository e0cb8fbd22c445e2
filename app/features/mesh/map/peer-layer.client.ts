import type { Genesis, Peer } from '#server/mesh/mesh.schema.ts';
import type { Listener, MeshStore } from '#app/features/live/live-store.ts';
import { CanvasLayer, type View } from './canvas-layer.client.ts';
import { drawCluster, drawGenesis, drawRing, drawSprites, type Sprites } from './draw.client.ts';
import { HALO, RADIUS } from '#app/ui/status-shapes.ts';
import { project } from './land-layer.client.ts';
import { GLYPHS, Marks, type LatLng, type Mark } from './marks.ts';
import type { Palette } from './palette.client.ts';

/** How far a mark reaches into the view from outside, CSS px. */
const MARGIN = 24;
/** Marks that are drawn between two looks at the clock. */
const STEP = 128;

/** What was hit on the map. */
export type Hit = { kind: 'mark'; mark: Mark } | { kind: 'genesis' } | null;

/** Every peer that matches and Genesis, on one canvas. */
export class PeerLayer extends CanvasLayer {
  readonly #marks = new Marks(project);
  #sprites: Sprites | undefined;
  #genesis: Genesis['status'] | undefined;
  #chosen: LatLng | null = null;
  readonly #unfollow: () => void;

  constructor(
    private readonly store: MeshStore,
    private palette: Palette,
    matches: (peer: Peer) => boolean,
    private readonly onDrawn: () => void,
  ) {
    super('overlayPane');
    this.#marks.filter(matches);
    this.#take({ all: true, rows: [] });
    this.#unfollow = store.subscribe((change) => this.#take(change));
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
    this.#marks.filter(matches);
    this.redrawSoon();
  }

  /** A ring around what is drawn of this place, or none. */
  choose(place: LatLng | null): void {
    this.#chosen = place;
    this.redrawSoon();
  }

  /** Where the peer is shown, or undefined where the filter leaves it out. */
  find(id: string): LatLng | undefined {
    return this.#marks.find(id);
  }

  /** What is drawn within `reach` (CSS px) of a point of the world, the nearest if there are several. */
  hit(point: { x: number; y: number }, scale: number, reach: number): Hit {
    let found: Hit = null;
    let least = Infinity;
    const look = (hit: Hit, x: number, y: number, radius: number) => {
      const distance = Math.hypot(x - point.x, y - point.y) * scale;
      if (distance > radius + reach || distance - radius >= least) return;
      least = distance - radius;
      found = hit;
    };
    for (const mark of this.#marks.at(scale))
      look({ kind: 'mark', mark }, mark.x, mark.y, radiusOf(mark));
    const at = project(this.store.head.genesis.lat, this.store.head.genesis.lng);
    look({ kind: 'genesis' }, at.x, at.y - this.#lift(scale) / scale, HALO);
    return found;
  }

  /** A heartbeat that changes nothing that is drawn (nearly all of them) costs no drawing. */
  #take({ all, rows }: Parameters<Listener<Peer>>[0]): void {
    const { status } = this.store.head.genesis;
    let changed = all || status !== this.#genesis;
    this.#genesis = status;
    if (all) this.#marks.clear();
    for (const peer of all ? this.store.rows() : rows) if (this.#marks.set(peer)) changed = true;
    if (changed) this.redrawSoon();
  }

  /** Genesis stands above what lies at its place, CSS px: neither hides the other. */
  #lift(scale: number): number {
    const { lat, lng } = this.store.head.genesis;
    const at = project(lat, lng);
    let lift = 0;
    for (const mark of this.#marks.at(scale)) {
      const [dx, dy] = [(mark.x - at.x) * scale, (mark.y - at.y) * scale];
      const reach = mark.radius + HALO;
      if (Math.hypot(dx, dy) < reach) lift = Math.max(lift, reach + 3 - dy);
    }
    return lift;
  }

  protected override *draw(context: CanvasRenderingContext2D, view: View): Generator<void> {
    const ratio = window.devicePixelRatio || 1;
    if (this.#sprites?.ratio !== ratio)
      this.#sprites = { ratio, images: drawSprites(GLYPHS, this.palette, ratio) };
    const { images } = this.#sprites;
    const { scale, width, height, worlds } = view;
    const marks = this.#marks.at(scale);
    const lift = this.#lift(scale);
    for (const world of worlds) {
      const edge = view.x - world * scale;
      let count = 0;
      for (const mark of marks) {
        if (++count % STEP === 0) yield;
        const x = mark.x * scale - edge;
        const y = mark.y * scale - view.y;
        if (x < -MARGIN || y < -MARGIN || x > width + MARGIN || y > height + MARGIN) continue;
        if (!mark.peer) {
          drawCluster(context, mark, [x, y], this.palette);
          continue;
        }
        const image = images[mark.peer.glyph] as ImageBitmap;
        const extent = image.width / ratio;
        // Whole pixels: a copy between them would be resampled, slower and less sharp.
        const left = Math.round((x - extent / 2) * ratio) / ratio;
        const top = Math.round((y - extent / 2) * ratio) / ratio;
        context.drawImage(image, left, top, extent, extent);
      }
      const { genesis } = this.store.head;
      const at = project(genesis.lat, genesis.lng);
      const foot = [at.x * scale - edge, at.y * scale - view.y] as const;
      drawGenesis(context, foot, lift, this.palette, genesis.status);
      if (this.#chosen) this.#ring(context, this.#chosen, scale, edge, view.y, foot, lift);
    }
    this.onDrawn();
  }

  /** Around Genesis, or around the mark that shows the chosen place. */
  #ring(
    context: CanvasRenderingContext2D,
    chosen: LatLng,
    scale: number,
    edge: number,
    top: number,
    foot: readonly [number, number],
    lift: number,
  ): void {
    const { genesis } = this.store.head;
    if (chosen.lat === genesis.lat && chosen.lng === genesis.lng) {
      drawRing(context, [foot[0], foot[1] - lift], HALO + 3, this.palette.accent);
      return;
    }
    const { x, y } = project(chosen.lat, chosen.lng);
    const near = this.#marks
      .at(scale)
      .find((mark) => Math.hypot(mark.x - x, mark.y - y) * scale < mark.radius);
    const at = near ?? { x, y, radius: RADIUS.L };
    const middle = [at.x * scale - edge, at.y * scale - top] as const;
    drawRing(context, middle, at.radius + 5, this.palette.accent);
  }
}

const radiusOf = ({ peer, radius }: Mark): number =>
  peer ? RADIUS[GLYPHS[peer.glyph]?.size ?? 'S'] : radius;
