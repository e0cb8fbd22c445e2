import type { MeshStore } from '#app/features/live/live-store.ts';
import { HALO, RADIUS } from '#app/ui/status-shapes.ts';
import { CanvasLayer, type View } from './canvas-layer.client.ts';
import {
  drawCluster,
  drawGenesis,
  drawLeader,
  drawRing,
  drawSprites,
  type Sprites,
} from './draw.client.ts';
import { boxAround, boxOf, MARGIN, MarkerHits } from './marker-hits.ts';
import { ICONS, type Shown } from './grid-points.ts';
import { Markers } from './markers.ts';
import { project, type Circle, type LatLng } from './mercator.ts';
import type { Palette } from './palette.client.ts';

/** How far from a node the cluster that it belongs to may be, CSS px. */
const REACH = 80;
/** Markers drawn before yielding. */
const STEP = 128;

/** All places with nodes that match the filter, and Genesis, on one canvas. */
export class PlaceLayer extends CanvasLayer {
  readonly markers = new Markers();
  /** Where they are drawn. */
  readonly hits = new MarkerHits(this.markers, () => this.store.head);
  #sprites: Sprites | undefined;
  #selected: LatLng | null = null;
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
    this.markers.show(shown, store);
    this.#unfollow = store.subscribe((change) => {
      // Most heartbeats change nothing that is drawn, and cause no redraw.
      if (!this.markers.update(change, store)) return;
      this.redrawSoon();
      this.listeners.changed(change.all);
    });
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

  show(shown: Shown): void {
    this.markers.show(shown, this.store);
    this.redrawSoon();
    this.listeners.changed(true);
  }

  /** Draws a ring around the marker at this position, or no ring. */
  select(position: LatLng | null): void {
    this.#selected = position;
    this.redrawSoon();
  }

  /** The southernmost latitude where something is drawn, degrees. */
  south(): number {
    const { genesis, genesisPlaced } = this.store.head;
    return Math.min(this.markers.south(), genesisPlaced ? genesis.lat : 90);
  }

  /** Where something is drawn: Genesis too, but not alone, since without nodes the world is shown. */
  positions(): LatLng[] {
    const { genesis, genesisPlaced } = this.store.head;
    const places: LatLng[] = [...this.markers.drawn()];
    return genesisPlaced && places.length > 0 ? [...places, genesis] : places;
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
    const markers = this.markers.within(boxOf(view), scale);
    yield;
    const { genesis, genesisPlaced } = this.store.head;
    const lift = genesisPlaced ? this.hits.lift(scale) : 0;
    const ring = this.#selected && this.#ringAround(this.#selected, scale, lift);
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
      if (ring)
        drawRing(context, [ring.x - edge, ring.y - view.y], ring.radius, this.palette.accent);
    }
  }

  /** The ring around Genesis, or around the marker of the selected position, CSS px at this scale. */
  #ringAround(selected: LatLng, scale: number, lift: number): Circle {
    const { genesis, genesisPlaced } = this.store.head;
    const { x, y } = project(selected.lat, selected.lng);
    if (genesisPlaced && selected.lat === genesis.lat && selected.lng === genesis.lng)
      return { x: x * scale, y: y * scale - lift, radius: HALO + 3 };
    const near = this.markers
      .within(boxAround({ x, y }, REACH / scale), scale)
      .filter(({ bounds: [from, to] }) => isBetween(selected, from, to))
      .sort((a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y))[0];
    const at = near ?? { x, y, radius: RADIUS.L };
    return { x: at.x * scale, y: at.y * scale, radius: at.radius + 5 };
  }
}

const isBetween = ({ lat, lng }: LatLng, from: LatLng, to: LatLng): boolean =>
  from.lat <= lat && lat <= to.lat && from.lng <= lng && lng <= to.lng;

/** Longest time spent drawing within one frame (ms). The next frame continues. */
const SLICE_MS = 8;

/** Runs the steps, which yield wherever they may be interrupted, in slices of a frame until the signal aborts. */
function runInSlices(steps: Generator<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const slice = () => {
      const until = performance.now() + SLICE_MS;
      while (!signal.aborted && !steps.next().done)
        if (performance.now() > until) return void requestAnimationFrame(slice);
      resolve();
    };
    slice();
  });
}
