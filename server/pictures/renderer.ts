import { AppError } from '#server/common/errors.schema.ts';
import { AskedThread } from '#server/common/asked-thread.ts';

export interface PictureRequest {
  n: number;
  svg: string;
}

export type PictureReply = { n: number } & (
  { png: Uint8Array<ArrayBuffer>; error?: never } | { png?: never; error: string }
);

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
  });
  #idle: NodeJS.Timeout | undefined;

  /** @returns a PNG @throws AppError `unavailable` if too many wait; Error if the picture can't be drawn */
  async draw(svg: string): Promise<Buffer> {
    if (this.#thread.waiting >= WAITING_MAX)
      throw new AppError(
        'unavailable',
        'Too many pictures are being drawn. Try again in 2 seconds.',
        { retryAfter: 2 },
      );
    clearTimeout(this.#idle);
    try {
      const { png, error } = await this.#thread.ask((n) => ({ n, svg }));
      if (!png) throw new Error(error);
      return Buffer.from(png.buffer);
    } finally {
      if (this.#thread.waiting === 0)
        this.#idle = setTimeout(() => void this.stop(), IDLE_MS).unref();
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#thread.stop();
  }
}
