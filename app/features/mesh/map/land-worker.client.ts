import coarseUrl from 'world-atlas/land-110m.json?url';
import fineUrl from 'world-atlas/land-50m.json?url';
import type { View } from './canvas-layer.client.ts';
import { drawLand, type Land } from './draw-land.ts';
import bordersUrl from './geography/borders.json?url';
import namesUrl from './geography/names.json?url';
import waterUrl from './geography/water.json?url';
import { outlinesOf, type Borders, type Names, type Water } from './geography.ts';
import { drawLabels, loadFonts } from './draw-labels.client.ts';
import { landOutlines, type Topology } from './land-outlines.ts';
import type { Palette } from './palette.client.ts';

/** Draws everything below the nodes in a thread of its own, with Natural Earth's outlines from our own server. */

export interface LandRequest {
  request: number;
  view: View;
  palette: Palette;
  /** Land that begins south of it is not drawn, px at zoom 0. */
  south: number;
  /** Where names would be hidden: x, y and radius of each, CSS px on the canvas. */
  obstacles: number[];
}

export type LandDrawn =
  | { request: number; bitmap: ImageBitmap }
  /** More of the world has been loaded: the next drawing has it. */
  | { request: null };

/** What of the world is loaded, and from which zoom. Nothing but the coarse outlines is part of a first view of the world. */
const DETAILS = {
  fine: {
    zoom: 4,
    url: fineUrl,
    read: (body: unknown) => landOutlines(body as Topology),
  },
  borders: {
    zoom: 2.75,
    url: bordersUrl,
    read: (body: unknown) => {
      const { units, lines } = body as Borders;
      return outlinesOf(
        units,
        lines.map((line) => [line]),
      );
    },
  },
  lakes: {
    zoom: 4,
    url: waterUrl,
    read: (body: unknown) => {
      const { units, lakes, rivers } = body as Water;
      return {
        lakes: outlinesOf(units, lakes),
        rivers: outlinesOf(
          units,
          rivers.map((line) => [line]),
        ),
      };
    },
  },
  names: {
    zoom: 2.75,
    url: namesUrl,
    read: async (body: unknown) => {
      await loadFonts();
      return body as Names;
    },
  },
};
type Details = {
  -readonly [Key in keyof typeof DETAILS]: Awaited<ReturnType<(typeof DETAILS)[Key]['read']>>;
};

const coarse = load(coarseUrl, (body) => landOutlines(body as Topology));
const loaded: Partial<Details> = {};
const asked = new Set<keyof Details>();

let latest: LandRequest | undefined;
addEventListener('message', ({ data }: MessageEvent<LandRequest>) => {
  const idle = !latest;
  latest = data;
  if (idle) void drawLatest();
});

/** Requests that came meanwhile are outdated but for the last. */
async function drawLatest(): Promise<void> {
  while (latest) {
    const request = latest;
    const outlines = (await coarse) ?? [];
    // Lets newer requests in.
    await new Promise((resolve) => setTimeout(resolve));
    if (request === latest) {
      draw(request, outlines);
      latest = undefined;
    }
  }
}

function draw({ request, view, palette, south, obstacles }: LandRequest, coarse: Land['land']) {
  const zoom = Math.log2(view.scale);
  const detail = <Key extends keyof Details>(key: Key): Details[Key] | undefined => {
    if (zoom < DETAILS[key].zoom) return undefined;
    if (!asked.has(key)) {
      asked.add(key);
      void loadDetail(key);
    }
    return loaded[key];
  };
  const canvas = new OffscreenCanvas(
    Math.round(view.width * view.ratio),
    Math.round(view.height * view.ratio),
  );
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(view.ratio, view.ratio);
  const { lakes = [], rivers = [] } = detail('lakes') ?? {};
  const land = detail('fine') ?? coarse;
  drawLand(context, view, palette, {
    land: land.filter(({ box }) => box.top <= south),
    borders: detail('borders') ?? [],
    lakes,
    rivers,
  });
  const names = detail('names');
  if (names) drawLabels(context, view, palette, names, obstacles);
  const bitmap = canvas.transferToImageBitmap();
  postMessage({ request, bitmap } satisfies LandDrawn, { transfer: [bitmap] });
}

async function loadDetail<Key extends keyof Details>(key: Key): Promise<void> {
  const { url, read } = DETAILS[key];
  const detail = await load(url, read as (body: unknown) => Details[Key] | Promise<Details[Key]>);
  // What can't be loaded is left out.
  if (detail === null) return;
  loaded[key] = detail;
  postMessage({ request: null } satisfies LandDrawn);
}

/** Null if it can't be loaded. Nodes then lie on the graticule alone. */
async function load<T>(url: string, read: (body: unknown) => T | Promise<T>): Promise<T | null> {
  try {
    const response = await fetch(url);
    return response.ok ? await read(await response.json()) : null;
  } catch {
    return null;
  }
}
