import { LRUCache } from 'lru-cache';
import { AskedThread } from '#server/common/asked-thread.ts';
import type { Frame, LocalMap } from './local-map.ts';

export type { LocalMap } from './local-map.ts';

/** What is asked for: the picture, with the place in it. */
export type MapFrame = Omit<Frame, 'span'>;

export interface MapRequest {
  frame: MapFrame;
}

interface MapReply {
  map: LocalMap;
}

/** Maps that stay in memory: some 5 KB each. */
const CACHED_MAX = 500;
/** Pages that wait for their map; more of them go without. */
const WAITING_MAX = 100;
/** The first map takes less than a second, the others some milliseconds. */
const TIMEOUT_MS = 10_000;
/** A thread without work ends after this long, milliseconds: it holds some 30 MB. */
const IDLE_MS = 60_000;

/**
 * Maps of what is around a place, from outlines that come with the service. They are drawn in a thread of their own,
 * so that heartbeats do not wait.
 * @param onError is told why a map could not be drawn
 */
export function createMaps({ onError }: { onError: (error: unknown) => void }) {
  const thread = new AskedThread<MapRequest, MapReply>({
    program: new URL('./map-worker.ts', import.meta.url),
    name: 'that draws maps',
    timeoutMs: TIMEOUT_MS,
    idleMs: IDLE_MS,
  });
  const cached = new LRUCache<string, Promise<LocalMap | null>>({ max: CACHED_MAX });

  async function draw(key: string, frame: MapFrame): Promise<LocalMap | null> {
    try {
      return (await thread.ask({ frame })).map;
    } catch (error) {
      cached.delete(key);
      onError(error);
      return null;
    }
  }

  return {
    /** The map around a place; null if it can't be drawn now. */
    async around(frame: MapFrame): Promise<LocalMap | null> {
      const key = Object.values(frame).join();
      const known = cached.get(key);
      if (known) return known;
      if (thread.waiting >= WAITING_MAX) return null;
      const drawing = draw(key, frame);
      cached.set(key, drawing);
      return drawing;
    },
    stop: () => thread.stop(),
  };
}
