import { CanvasLayer, type View } from './canvas-layer.client.ts';
import { LandMask } from './land-mask.ts';
import { startLandThread } from './land-thread.client.ts';
import { project } from './mercator.ts';
import { withoutStates, type Palette } from './palette.client.ts';
import type { PlaceLayer } from './place-layer.client.ts';

/** How soon the glow shows other counts, ms. */
const REFRESH_MS = 5000;

/** Below it there is only Antarctica, which would fill a third of the map. */
export const SOUTH = -60;

/** Land, coast, borders, waters and names, and the glow of the places. */
export class LandLayer extends CanvasLayer {
  readonly #thread = startLandThread(
    () => this.redrawSoon(),
    (bits) => this.places.stayOn(new LandMask(bits)),
  );
  #antarctica = false;

  #refresh: ReturnType<typeof setTimeout> | undefined;
  /** Drawings in progress, and whether they are outdated. */
  #drawing = 0;
  #stale = false;

  constructor(
    private palette: Palette,
    private readonly places: Pick<PlaceLayer, 'hits' | 'markers' | 'prepare' | 'stayOn'>,
  ) {
    super('tilePane', () => places.markers.cut);
  }

  override onRemove(): this {
    this.#thread.stop();
    clearTimeout(this.#refresh);
    return super.onRemove();
  }

  /** The places have changed. What is being drawn is finished first, so that something is shown however often they do. */
  refresh(): void {
    this.#stale = this.#drawing > 0;
    if (!this.#stale) this.redrawSoon();
  }

  /** Single counts have changed: the glow follows them calmly. */
  refreshLater(): void {
    this.#refresh ??= setTimeout(() => {
      this.#refresh = undefined;
      this.refresh();
    }, REFRESH_MS);
  }

  showAntarctica(shown: boolean): void {
    if (shown === this.#antarctica) return;
    this.#antarctica = shown;
    this.redrawSoon();
  }

  setPalette(palette: Palette): void {
    this.palette = palette;
    this.redraw();
  }

  protected override async draw(
    canvas: HTMLCanvasElement,
    view: View,
    signal: AbortSignal,
  ): Promise<void> {
    this.#drawing++;
    const bitmap = await this.#paint(view, signal);
    this.#drawing--;
    if (bitmap && !signal.aborted)
      canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
    if (this.#drawing > 0 || !this.#stale) return;
    this.#stale = false;
    this.redrawSoon();
  }

  async #paint(view: View, signal: AbortSignal): Promise<ImageBitmap | null> {
    // The places come first: what they cost is not added to the same frame.
    await new Promise(requestAnimationFrame);
    if (!signal.aborted) await this.places.prepare(view.scale);
    if (signal.aborted) return null;
    return this.#thread.paint({
      view,
      palette: this.places.markers.past ? withoutStates(this.palette) : this.palette,
      south: this.#antarctica ? Infinity : project(SOUTH, 0).y,
      alive: this.places.markers.alive(),
      obstacles: this.places.hits.obstacles(view),
    });
  }
}
