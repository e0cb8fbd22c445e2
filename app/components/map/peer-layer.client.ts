import type { Genesis, Peer } from '../../../server/schemas/mesh.ts';
import { NODE_CLASSES, PEER_STATUSES } from '../../../server/schemas/values.ts';
import type { Listener, MeshStore } from '../../live-store.ts';
import { CanvasLayer, type View } from './canvas-layer.client.ts';
import { drawGenesis, drawRing, drawSprites, type Sprites } from './draw.client.ts';
import { HALO, RADIUS } from './glyphs.ts';
import { project } from './land-layer.client.ts';
import type { Palette } from './palette.client.ts';

/** How far a glyph reaches into the view from outside, CSS px. */
const MARGIN = 10;
/** Marks that are drawn between two looks at the clock. */
const STEP = 256;
/** Large under small, offline under online, so that what matters most is not hidden. */
const LAYERS = [...NODE_CLASSES]
  .reverse()
  .flatMap((size) => [...PEER_STATUSES].reverse().map((status) => ({ size, status })));
const layerOf = (peer: Peer) =>
  LAYERS.findIndex(({ size, status }) => size === peer.class && status === peer.status);

interface Mark {
  id: string;
  lat: number;
  lng: number;
  /** px at zoom 0 */
  x: number;
  y: number;
  layer: number;
}

/** Every peer and Genesis, on one canvas. */
export class PeerLayer extends CanvasLayer {
  #marks = new Map<string, Mark>();
  #ordered: Mark[] | undefined;
  #sprites: Sprites | undefined;
  #genesis: Genesis['status'] | undefined;
  #selected: { lat: number; lng: number } | null = null;
  readonly #unfollow: () => void;

  constructor(
    private readonly store: MeshStore,
    private palette: Palette,
    private readonly onCount: (peers: number) => void,
  ) {
    super('overlayPane');
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

  /** A ring around this place, or none. */
  select(place: { lat: number; lng: number } | null): void {
    this.#selected = place;
    this.redrawSoon();
  }

  /**
   * Ids of everything drawn within `reach` (CSS px) of a point of the world, the nearest first.
   * Where several lie on one grid point, or their glyphs cover each other, that is all of them.
   */
  at(point: { x: number; y: number }, scale: number, reach: number): string[] {
    const { lat, lng, id } = this.store.head.genesis;
    const found: { id: string; distance: number }[] = [];
    const look = (id: string, at: { x: number; y: number }, radius: number) => {
      const distance = Math.hypot(at.x - point.x, at.y - point.y) * scale;
      if (distance <= radius + reach) found.push({ id, distance });
    };
    look(id, project(lat, lng), HALO);
    for (const mark of this.#marks.values())
      look(mark.id, mark, RADIUS[LAYERS[mark.layer]?.size ?? 'S']);
    found.sort((a, b) => a.distance - b.distance);
    const nearest = found[0]?.distance ?? 0;
    return found.filter(({ distance }) => distance <= nearest + 3).map(({ id }) => id);
  }

  /** A heartbeat that changes nothing that is drawn (nearly all of them) costs no drawing. */
  #take({ all, rows }: Parameters<Listener<Peer>>[0]): void {
    const { status } = this.store.head.genesis;
    let changed = all || status !== this.#genesis;
    this.#genesis = status;
    if (all) this.#marks = new Map();
    for (const peer of all ? this.store.rows() : rows) {
      const before = this.#marks.get(peer.id);
      const layer = layerOf(peer);
      if (before?.layer === layer && before.lat === peer.lat && before.lng === peer.lng) continue;
      const { x, y } = project(peer.lat, peer.lng);
      this.#marks.set(peer.id, { id: peer.id, lat: peer.lat, lng: peer.lng, x, y, layer });
      changed = true;
    }
    if (!changed) return;
    this.#ordered = undefined;
    this.redrawSoon();
  }

  protected override *draw(context: CanvasRenderingContext2D, view: View): Generator<void> {
    const ordered = (this.#ordered ??= visible(this.#marks.values()));
    const ratio = window.devicePixelRatio || 1;
    if (this.#sprites?.ratio !== ratio)
      this.#sprites = { ratio, images: drawSprites(LAYERS, this.palette, ratio) };
    const { images } = this.#sprites;
    const { scale, width, height, worlds } = view;
    for (const world of worlds) {
      const edge = view.x - world * scale;
      let count = 0;
      for (const { x: markX, y: markY, layer } of ordered) {
        if (++count % STEP === 0) yield;
        const x = markX * scale - edge;
        const y = markY * scale - view.y;
        if (x < -MARGIN || y < -MARGIN || x > width + MARGIN || y > height + MARGIN) continue;
        const image = images[layer] as ImageBitmap;
        const extent = image.width / ratio;
        // Whole pixels: a copy between them would be resampled, slower and less sharp.
        const left = Math.round((x - extent / 2) * ratio) / ratio;
        const top = Math.round((y - extent / 2) * ratio) / ratio;
        context.drawImage(image, left, top, extent, extent);
      }
      const place = ({ lat, lng }: { lat: number; lng: number }) => {
        const at = project(lat, lng);
        return [at.x * scale - edge, at.y * scale - view.y] as const;
      };
      const { genesis } = this.store.head;
      drawGenesis(context, place(genesis), this.palette, genesis.status);
      if (this.#selected) drawRing(context, place(this.#selected), this.palette.accent);
    }
    this.onCount(this.#marks.size);
  }
}

/** In the order of drawing. Of several alike on one grid point one is drawn: the others would be hidden. */
function visible(marks: Iterable<Mark>): Mark[] {
  const layers: Mark[][] = LAYERS.map(() => []);
  const seen = new Set<number>();
  for (const mark of marks) {
    // No grid is finer than a tenth of a degree.
    const [row, column] = [Math.round(mark.lat * 10) + 900, Math.round(mark.lng * 10) + 1800];
    const key = (row * 3601 + column) * LAYERS.length + mark.layer;
    if (seen.has(key)) continue;
    seen.add(key);
    layers[mark.layer]?.push(mark);
  }
  return layers.flat();
}
