import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Renderer } from './picture-renderer.ts';

/** Pictures that stay in memory: 30 to 100 KB each. */
const CACHED_MAX = 100;
/** Part of every tag: another release of the renderer or of its fonts draws other bytes. */
const VERSION = 1;

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
  const renderer = new Renderer();
  const cached = new LRUCache<string, Promise<Buffer>>({ max: CACHED_MAX });

  const png = (key: string, svg: string): Promise<Buffer> => {
    const known = cached.get(key);
    if (known) return known;
    const drawing = renderer.draw(svg);
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
    stop: () => renderer.stop(),
  };
}
