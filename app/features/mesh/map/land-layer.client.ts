import { CanvasLayer, type View } from './canvas-layer.client.ts';
import type { LandDrawn, LandRequest } from './land-worker.client.ts';
import { project } from './mercator.ts';
import type { Palette } from './palette.client.ts';

/** Below it there is only Antarctica, which would fill a third of the map. */
export const SOUTH = -60;

/** Land, coast, borders and names. A worker draws them, because the outlines of the world are a lot of work. */
export class LandLayer extends CanvasLayer {
  readonly #worker = new Worker(new URL('./land-worker.client.ts', import.meta.url), {
    type: 'module',
  });
  #antarctica = false;
  #requests = 0;
  #waiting: ((drawn: ImageBitmap | null) => void) | undefined;

  /** @param obstacles where names would be hidden: x, y and radius of each, CSS px on the canvas */
  constructor(
    private palette: Palette,
    private readonly obstacles: (view: View) => number[],
  ) {
    super('tilePane');
    this.#worker.onmessage = ({ data }: MessageEvent<LandDrawn>) => {
      // More of the world has been loaded.
      if (data.request === null) this.redrawSoon();
      else if (data.request === this.#requests) this.#waiting?.(data.bitmap);
      else data.bitmap.close();
    };
  }

  override onRemove(): this {
    this.#worker.terminate();
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
    const request: LandRequest = {
      request: ++this.#requests,
      view,
      palette: this.palette,
      south: this.#antarctica ? Infinity : project(SOUTH, 0).y,
      obstacles: this.obstacles(view),
    };
    const bitmap = await new Promise<ImageBitmap | null>((resolve) => {
      this.#waiting = resolve;
      signal.addEventListener('abort', () => resolve(null));
      this.#worker.postMessage(request);
    });
    if (bitmap) canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
  }
}
