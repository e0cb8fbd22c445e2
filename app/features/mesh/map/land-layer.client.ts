import { CanvasLayer, type View } from './canvas-layer.client.ts';
import { startLandThread } from './land-thread.client.ts';
import { project } from './mercator.ts';
import type { Palette } from './palette.client.ts';
import type { PlaceLayer } from './place-layer.client.ts';

/** How soon the glow shows other counts, ms. */
const REFRESH_MS = 5000;

/** Below it there is only Antarctica, which would fill a third of the map. */
export const SOUTH = -60;

/** Land, coast, borders, waters and names, and the glow of the places. */
export class LandLayer extends CanvasLayer {
  readonly #thread = startLandThread(() => this.redrawSoon());
  #antarctica = false;

  #refresh: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private palette: Palette,
    private readonly places: Pick<PlaceLayer, 'obstacles' | 'alive'>,
  ) {
    super('tilePane');
  }

  override onRemove(): this {
    this.#thread.stop();
    clearTimeout(this.#refresh);
    return super.onRemove();
  }

  /** The glow of the places follows their counts calmly. */
  redrawLater(): void {
    this.#refresh ??= setTimeout(() => {
      this.#refresh = undefined;
      this.redrawSoon();
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
    // The places come first: what they cost is not added to the same frame.
    await new Promise(requestAnimationFrame);
    if (signal.aborted) return;
    const bitmap = await this.#thread.paint({
      view,
      palette: this.palette,
      south: this.#antarctica ? Infinity : project(SOUTH, 0).y,
      alive: this.places.alive(),
      obstacles: this.places.obstacles(view),
    });
    if (bitmap && !signal.aborted)
      canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
  }
}
