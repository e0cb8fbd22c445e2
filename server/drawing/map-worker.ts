import { answerRequests } from '#server/common/asked-thread.ts';
import type { MapRequest } from './maps.ts';
import { drawMap, type LocalMap } from './local-map.ts';
import { readOutlines } from './map-outlines.ts';

/** The program of the thread that draws maps. */

/** Degrees of latitude in a picture: as few as show some land. */
const SPANS = [14, 28, 56];
const SOME_LAND = 0.003;

const reading = readOutlines();

answerRequests(async ({ frame }: MapRequest) => {
  const outlines = await reading;
  let map: LocalMap | undefined;
  for (const span of SPANS) {
    map = drawMap(outlines, { ...frame, span });
    if (map.landShare >= SOME_LAND) break;
  }
  return { reply: { map } };
});
