import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { AskedThread } from '#server/common/asked-thread.ts';
import { AppError } from '#server/common/errors.schema.ts';

/** Pictures that wait to be drawn, one after the other. */
const WAITING_MAX = 16;
/** A picture takes less than a second. */
const TIMEOUT_MS = 20_000;
/** A thread without work ends after this long, milliseconds: it holds up to 100 MB. */
const IDLE_MS = 60_000;
/** Pictures that stay in memory: 30 to 100 KB each. */
const CACHED_MAX = 100;
/** Part of every tag: another release of the renderer or of its fonts draws other bytes. */
const VERSION = 1;

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
   * @returns a PNG
   * @throws AppError `unavailable` if too many pictures wait
   */
  png(): Promise<Buffer>;
}

/** Pictures made of SVG, by a thread of their own. However many ask for one, it is drawn once. */
export function createPictures() {
  const thread = new AskedThread<PictureRequest, PictureReply>({
    program: new URL('./picture-worker.ts', import.meta.url),
    name: 'that draws pictures',
    timeoutMs: TIMEOUT_MS,
    idleMs: IDLE_MS,
  });
  const cached = new LRUCache<string, Promise<Buffer>>({ max: CACHED_MAX });

  async function draw(svg: string): Promise<Buffer> {
    if (thread.waiting >= WAITING_MAX)
      throw new AppError(
        'unavailable',
        'Too many pictures are being drawn. Try again in 2 seconds.',
        { retryAfter: 2 },
      );
    const { png } = await thread.ask({ svg });
    return Buffer.from(png.buffer);
  }

  const png = (key: string, svg: string): Promise<Buffer> => {
    const known = cached.get(key);
    if (known) return known;
    const drawing = draw(svg);
    cached.set(key, drawing);
    drawing.catch(() => cached.delete(key));
    return drawing;
  };

  return {
    /** @param svg may use the font in picture.schema.ts, and nothing from elsewhere */
    picture(svg: string): Picture {
      const key = createHash('sha256')
        .update(`${VERSION}\n${svg}`)
        .digest('base64url')
        .slice(0, 27);
      return { etag: `"${key}"`, png: () => png(key, svg) };
    },
    stop: () => thread.stop(),
  };
}
