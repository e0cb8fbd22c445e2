import type { Worker } from 'node:worker_threads';
import { AppError } from '#server/common/errors.schema.ts';
import { startThread } from '#server/common/thread.ts';

export interface PictureRequest {
  n: number;
  svg: string;
}

export type PictureReply = { n: number } & (
  { png: Uint8Array<ArrayBuffer>; error?: never } | { png?: never; error: string }
);

/** Pictures that wait to be drawn, one after the other. */
const WAITING_MAX = 16;
/** A thread that does not answer for this long is replaced, milliseconds. A picture takes less than a second. */
const TIMEOUT_MS = 20_000;
/** A thread without work ends after this long, milliseconds: it holds up to 100 MB. */
const IDLE_MS = 60_000;

interface Waiting {
  resolve: (png: Buffer) => void;
  reject: (error: Error) => void;
}

/** The thread that draws pictures. It starts when it is first needed, and again after it has ended. */
export class Renderer {
  #worker: Worker | undefined;
  #n = 0;
  readonly #waiting = new Map<number, Waiting>();
  #idle: NodeJS.Timeout | undefined;

  /** @returns a PNG @throws AppError `unavailable` if too many wait; Error if the picture can't be drawn */
  async draw(svg: string): Promise<Buffer> {
    if (this.#waiting.size >= WAITING_MAX)
      throw new AppError(
        'unavailable',
        'Too many pictures are being drawn. Try again in 2 seconds.',
        {
          retryAfter: 2,
        },
      );
    const n = ++this.#n;
    const worker = this.#running();
    clearTimeout(this.#idle);
    const timer = setTimeout(() => void worker.terminate(), TIMEOUT_MS).unref();
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        this.#waiting.set(n, { resolve, reject });
        const request: PictureRequest = { n, svg };
        worker.postMessage(request);
      });
    } finally {
      clearTimeout(timer);
      if (this.#waiting.size === 0)
        this.#idle = setTimeout(() => void this.stop(), IDLE_MS).unref();
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    // What is asked from now on goes to another one.
    this.#worker = undefined;
    await worker?.terminate();
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = startThread(new URL('./picture-worker.ts', import.meta.url));
    worker.unref();
    worker.on('message', ({ n, png, error }: PictureReply) => {
      const waiting = this.#waiting.get(n);
      this.#waiting.delete(n);
      if (png) waiting?.resolve(Buffer.from(png.buffer));
      else waiting?.reject(new Error(error));
    });
    const lost = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    worker.on('error', lost);
    worker.on('exit', () => lost(new Error('the thread that draws pictures has ended')));
    return (this.#worker = worker);
  }
}
