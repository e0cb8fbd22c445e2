import type { MeshStore } from '#app/features/live/live-store.ts';
import { CALLOUT } from './callouts.ts';
import { CanvasLayer, type View } from './canvas-layer.client.ts';
import {
  drawChosen,
  drawCluster,
  drawGenesis,
  drawImage,
  drawLead,
  drawRing,
  drawSprites,
  genesisColour,
  type Sprites,
} from './draw.client.ts';
import { boxAround, boxOf, MarkerHits } from './marker-hits.ts';
import { ICONS, type Shown } from './grid-points.ts';
import type { LandMask } from './land-mask.ts';
import { Markers } from './markers.ts';
import type { Circle, LatLng } from './mercator.ts';
import { withoutStates, type Palette } from './palette.client.ts';
import type { Selected } from './use-drawing.ts';

/** How far from a place the cluster that it belongs to may be, CSS px. */
const REACH = 120;
/** Markers drawn before yielding. */
const STEP = 128;

/** All places with nodes that match the filter, and Genesis, on one canvas. */
export class PlaceLayer extends CanvasLayer {
  readonly markers = new Markers();
  /** Where they are drawn. */
  readonly hits = new MarkerHits(this.markers, () => this.store.head);
  #sprites: Sprites | undefined;
  #preparing:
    | { scale: number; generation: number; done: Promise<void>; replaced: AbortController }
    | undefined;
  #selected: Selected | null = null;
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
    super('overlayPane', () => this.markers.cut);
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
    // Another time has another colour.
    if (this.markers.past !== (shown.past === true)) this.#sprites = undefined;
    this.markers.show(shown, this.store);
    this.redrawSoon();
    this.listeners.changed(true);
  }

  /** Shows where the chosen node is, or which marker is chosen, or neither. */
  select(selected: Selected | null): void {
    this.#selected = selected;
    this.hits.chosen = selected?.node
      ? { lat: selected.lat, lng: selected.lng, label: selected.node.label }
      : null;
    this.redrawSoon();
  }

  /** Clusters stand on land once it is known. */
  stayOn(land: LandMask): void {
    this.markers.stayOn(land);
    this.redrawSoon();
  }

  /** Where the world is cut open, px at zoom 0. */
  cutAt(cut: number): void {
    if (cut === this.markers.cut) return;
    this.markers.cutAt(cut);
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

  /** Makes the markers of a scale, in slices of frames. */
  prepare(scale: number): Promise<void> {
    if (
      this.#preparing?.scale !== scale ||
      this.#preparing.generation !== this.markers.generation
    ) {
      this.#preparing?.replaced.abort();
      const replaced = new AbortController();
      const done = runInSlices(this.markers.prepare(scale), replaced.signal);
      this.#preparing = { scale, generation: this.markers.generation, done, replaced };
    }
    return this.#preparing.done;
  }

  protected override async draw(
    canvas: HTMLCanvasElement,
    view: View,
    signal: AbortSignal,
  ): Promise<void> {
    const context = canvas.getContext('2d');
    if (!context) return;
    await this.prepare(view.scale);
    if (signal.aborted) return;
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    await runInSlices(this.#steps(context, view), signal);
    if (!signal.aborted) this.listeners.drawn();
  }

  *#steps(context: CanvasRenderingContext2D, view: View): Generator<void> {
    const { ratio, scale } = view;
    const palette = this.markers.past ? withoutStates(this.palette) : this.palette;
    if (this.#sprites?.ratio !== ratio)
      this.#sprites = { ratio, images: drawSprites(ICONS, palette, ratio) };
    const { images } = this.#sprites;
    const markers = this.markers.within(boxOf(view), scale);
    yield;
    const { genesis, chosen } = this.hits.callouts(scale);
    const on = ({ x, y }: { x: number; y: number }) => [x - view.x, y - view.y] as const;
    const placeOnCanvas = ({ x, y }: { x: number; y: number }) =>
      on({ x: x * scale, y: y * scale });
    let count = 0;
    for (const marker of markers) {
      if (++count % STEP === 0) yield;
      const at = placeOnCanvas(marker);
      if (marker.icon !== null)
        drawImage(context, images[marker.icon] as ImageBitmap, at, ratio, marker.count === 0);
      else {
        drawCluster(context, marker, at, palette);
        if (marker.foot)
          drawLead(context, at, placeOnCanvas(marker.foot), marker.radius, palette['ink-2']);
      }
    }
    const { head } = this.store;
    if (genesis) {
      const colour = genesisColour(palette, head.genesis.status);
      if (genesis.lead) drawLead(context, on(genesis), on(genesis.foot), CALLOUT, colour);
      drawGenesis(context, on(genesis), palette, head.genesis.status, genesis.name);
    }
    const selected = this.#selected;
    if (!selected) return;
    if (chosen && selected.node) {
      if (chosen.lead) drawLead(context, on(chosen), on(chosen.foot), CALLOUT, palette.accent);
      drawChosen(context, on(chosen), palette, selected.node.status, chosen.name);
      return;
    }
    const ring = this.#ringAround(selected, scale);
    drawRing(context, on(ring), ring.radius, palette.accent);
  }

  /** The ring around Genesis, or around the marker of the selected position, CSS px at this scale. */
  #ringAround(selected: LatLng, scale: number): Circle {
    const { genesis } = this.store.head;
    const callout = this.hits.callouts(scale).genesis;
    if (callout && selected.lat === genesis.lat && selected.lng === genesis.lng)
      return { ...callout, radius: CALLOUT + 3 };
    const { x, y } = this.hits.placeOf(selected, scale);
    const marker = this.markers
      .within(boxAround({ x: x / scale, y: y / scale }, REACH / scale), scale)
      .find(({ points }) =>
        points.some(({ lat, lng }) => lat === selected.lat && lng === selected.lng),
      );
    return marker
      ? { x: marker.x * scale, y: marker.y * scale, radius: marker.radius + 4 }
      : { x, y, radius: CALLOUT };
  }
}

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
