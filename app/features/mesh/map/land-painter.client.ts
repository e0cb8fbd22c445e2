import coarseUrl from 'world-atlas/land-110m.json?url';
import fineUrl from 'world-atlas/land-50m.json?url';
import type { View } from './canvas-layer.client.ts';
import { drawDensity } from './density.ts';
import { drawLand } from './draw-land.ts';
import bordersUrl from './geography/borders.json?url';
import namesUrl from './geography/names.json?url';
import waterUrl from './geography/water.json?url';
import { outlinesOf, type Borders, type Names, type Water } from './geography.ts';
import { drawLabels, loadFonts } from './draw-labels.client.ts';
import { landOutlines, type Topology } from './land-outlines.ts';
import type { Palette } from './palette.client.ts';

export interface LandRequest {
  view: View;
  palette: Palette;
  /** Land that begins south of it is not drawn, px at zoom 0. */
  south: number;
  /** Where nodes are that are not offline, and how many: x, y (px at zoom 0), count and so on. */
  alive: Float32Array;
  /** Where names would be hidden: x, y and radius of each, CSS px on the canvas. */
  obstacles: number[];
}

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

/** Draws everything below the nodes, with Natural Earth's outlines from our own server. */
export class LandPainter {
  readonly #coarse = load(coarseUrl, (body) => landOutlines(body as Topology));
  readonly #loaded: Partial<Details> = {};
  readonly #asked = new Set<keyof Details>();

  /** @param onMore more of the world has been loaded: the next drawing has it */
  constructor(private readonly onMore: () => void) {}

  async paint({
    view,
    palette,
    south,
    alive,
    obstacles,
  }: LandRequest): Promise<ImageBitmap | null> {
    const canvas = new OffscreenCanvas(
      Math.round(view.width * view.ratio),
      Math.round(view.height * view.ratio),
    );
    const coarse = (await this.#coarse) ?? [];
    const context = canvas.getContext('2d');
    if (!context) return null;
    context.scale(view.ratio, view.ratio);
    const zoom = Math.log2(view.scale);
    const { lakes = [], rivers = [] } = this.#detail('lakes', zoom) ?? {};
    drawLand(context, view, palette, {
      land: (this.#detail('fine', zoom) ?? coarse).filter(({ box }) => box.top <= south),
      borders: this.#detail('borders', zoom) ?? [],
      lakes,
      rivers,
    });
    drawDensity(context, view, alive, palette);
    const names = this.#detail('names', zoom);
    if (names) drawLabels(context, view, palette, names, obstacles);
    return canvas.transferToImageBitmap();
  }

  #detail<Key extends keyof Details>(key: Key, zoom: number): Details[Key] | undefined {
    if (zoom < DETAILS[key].zoom) return undefined;
    if (!this.#asked.has(key)) {
      this.#asked.add(key);
      void this.#load(key);
    }
    return this.#loaded[key];
  }

  async #load<Key extends keyof Details>(key: Key): Promise<void> {
    const { url, read } = DETAILS[key];
    const detail = await load(url, read as (body: unknown) => Details[Key] | Promise<Details[Key]>);
    // What can't be loaded is left out.
    if (detail === null) return;
    this.#loaded[key] = detail;
    this.onMore();
  }
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
