import { drawMap, type Frame, type LocalMap } from './local-map.ts';
import { readOutlines, type Outlines } from './outlines.ts';

export type { LocalMap } from './local-map.ts';

/** Maps that stay in memory: some 5 KB each. */
const CACHED_MAX = 500;
/** Degrees of latitude in a picture: as few as show some land. */
const SPANS = [14, 28, 56];
const SOME_LAND = 0.003;

/** Maps of what is around a place, from outlines that come with the service. */
export function createGeography() {
  let outlines: Promise<Outlines> | undefined;
  const cached = new Map<string, LocalMap>();

  return {
    /** The map around a place. The outlines are read when the first one is asked for. */
    async around(frame: Omit<Frame, 'span'>): Promise<LocalMap> {
      const key = Object.values(frame).join();
      let map = cached.get(key);
      if (map) return map;
      const found = await (outlines ??= readOutlines());
      for (const span of SPANS) {
        map = drawMap(found, { ...frame, span });
        if (map.landShare >= SOME_LAND) break;
      }
      cached.set(key, map as LocalMap);
      for (const oldest of cached.keys()) {
        if (cached.size <= CACHED_MAX) break;
        cached.delete(oldest);
      }
      return map as LocalMap;
    },
  };
}
