import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { AskedThread } from '#server/common/asked-thread.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { FairQueue } from '#server/common/fair-queue.ts';
import { KEY_LENGTH, KeptPictures } from './kept-pictures.ts';

/** Pictures that wait to be drawn, one after the other, and those of them that one client has asked for. */
const WAITING_MAX = 100;
const WAITING_OF_CLIENT = 8;
const RETRY_SECONDS = 2;
/** A picture takes less than a second. */
const TIMEOUT_MS = 20_000;
/** A thread without work ends after this long, milliseconds: it holds up to 100 MB. */
const IDLE_MS = 60_000;
/** Pictures that stay in memory: up to 60 KB each. */
const CACHED_MAX = 100;
/** So long at most, milliseconds: then the folder hears again that one is asked for. */
const CACHED_MS = 3_600_000;
/** Part of every tag: another release of the renderer or of its fonts draws other bytes. */
const VERSION = 2;

export interface PictureRequest {
  svg: string;
}

export interface PictureReply {
  png: Uint8Array<ArrayBuffer>;
}

export interface Picture {
  /** A tag of what it shows, known before it is drawn. */
  etag: string;
  /**
   * Draws it, unless that is done or under way.
   * @param client who asks: clients take turns
   * @param signal aborts when it is wanted no more: then nobody waits for its turn
   * @returns a PNG
   * @throws AppError `rate_limited` if too many pictures of this client wait, `unavailable` if too many of all do
   */
  png: (client: string, signal?: AbortSignal) => Promise<Buffer>;
}

export interface PicturesOptions {
  /** Where drawn pictures are kept, for this process and others; null: in memory only. */
  folder: string | null;
  /** Is told why they cannot be kept. */
  onError: (error: unknown) => void;
}

/** Pictures made of SVG, by a thread of their own. However many ask for one, it is drawn once. */
export function createPictures({ folder, onError }: PicturesOptions) {
  const thread = new AskedThread<PictureRequest, PictureReply>({
    program: new URL('./picture-worker.ts', import.meta.url),
    name: 'that draws pictures',
    timeoutMs: TIMEOUT_MS,
    idleMs: IDLE_MS,
  });
  const queue = new FairQueue({
    places: WAITING_MAX,
    placesOfClient: WAITING_OF_CLIENT,
    tooMany: () =>
      new AppError('rate_limited', 'Wait for the pictures that you have asked for.', {
        retryAfter: RETRY_SECONDS,
      }),
    refusal: () =>
      new AppError('unavailable', 'Too many pictures are being drawn. Try again in a moment.', {
        retryAfter: RETRY_SECONDS,
      }),
  });
  const cached = new LRUCache<string, Promise<Buffer>>({ max: CACHED_MAX, ttl: CACHED_MS });
  /** What is drawn and written to the folder. */
  const keeping = new Set<Promise<void>>();
  const kept = folder === null ? null : new KeptPictures({ folder, onError });

  async function png(
    key: string,
    svg: string,
    client: string,
    signal?: AbortSignal,
  ): Promise<Buffer> {
    if (!cached.has(key)) {
      const found = await kept?.find(key);
      if (found) cached.set(key, Promise.resolve(found));
    }
    const known = cached.get(key);
    if (known)
      return known.catch((error: unknown) => {
        if (!isAppError(error)) throw error;
        // Whoever asked first was refused or has gone, which is nothing to this client.
        return png(key, svg, client, signal);
      });
    const drawing = queue.run(client, () => draw(svg), signal);
    cached.set(key, drawing);
    const done = drawing
      .then(
        (drawn) => kept?.keep(key, drawn),
        () => void cached.delete(key),
      )
      .finally(() => keeping.delete(done));
    keeping.add(done);
    return drawing;
  }

  async function draw(svg: string): Promise<Buffer> {
    const { png } = await thread.ask({ svg });
    return Buffer.from(png.buffer);
  }

  return {
    /** @param svg opaque; may use the font in picture.schema.ts, and nothing from elsewhere */
    picture(svg: string): Picture {
      const key = createHash('sha256')
        .update(`${VERSION}\n${svg}`)
        .digest('base64url')
        .slice(0, KEY_LENGTH);
      return { etag: `"${key}"`, png: (client, signal) => png(key, svg, client, signal) };
    },
    /** Afterwards nothing is written to the folder. */
    async stop(): Promise<void> {
      queue.refuseAll();
      await thread.stop();
      await Promise.all(keeping);
    },
  };
}
