import { CanvasLayer, type View } from './canvas-layer.client.ts';
import { startLandThread } from './land-thread.client.ts';
import { project } from './mercator.ts';
import type { Palette } from './palette.client.ts';

/** Below it there is only Antarctica, which would fill a third of the map. */
export const SOUTH = -60;

/** Land, coast, borders, waters and names. */
export class LandLayer extends CanvasLayer {
  readonly #thread = startLandThread(() => this.redrawSoon());
  #antarctica = false;

  /** @param obstacles where names would be hidden: x, y and radius of each, CSS px on the canvas */
  constructor(
    private palette: Palette,
    private readonly obstacles: (view: View) => number[],
  ) {
    super('tilePane');
  }

  override onRemove(): this {
    this.#thread.stop();
    return super.onRemove();
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
      obstacles: this.obstacles(view),
    });
    if (bitmap && !signal.aborted)
      canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
  }
}
