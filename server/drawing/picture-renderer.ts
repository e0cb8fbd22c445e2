import { AppError } from '#server/common/errors.schema.ts';
import { AskedThread } from '#server/common/asked-thread.ts';

export interface PictureRequest {
  n: number;
  svg: string;
}

export interface PictureReply {
  png: Uint8Array<ArrayBuffer>;
}

/** Pictures that wait to be drawn, one after the other. */
const WAITING_MAX = 16;
/** A picture takes less than a second. */
const TIMEOUT_MS = 20_000;
/** A thread without work ends after this long, milliseconds: it holds up to 100 MB. */
const IDLE_MS = 60_000;

/** Draws pictures in a thread of its own. */
export class Renderer {
  readonly #thread = new AskedThread<PictureRequest, PictureReply>({
    program: new URL('./picture-worker.ts', import.meta.url),
    name: 'that draws pictures',
    timeoutMs: TIMEOUT_MS,
    idleMs: IDLE_MS,
  });

  /** @returns a PNG @throws AppError `unavailable` if too many wait; Error if the picture can't be drawn */
  async draw(svg: string): Promise<Buffer> {
    if (this.#thread.waiting >= WAITING_MAX)
      throw new AppError(
        'unavailable',
        'Too many pictures are being drawn. Try again in 2 seconds.',
        { retryAfter: 2 },
      );
    const { png } = await this.#thread.ask((n) => ({ n, svg }));
    return Buffer.from(png.buffer);
  }

  stop(): Promise<void> {
    return this.#thread.stop();
  }
}
