import coarseUrl from 'world-atlas/land-110m.json?url';
import fineUrl from 'world-atlas/land-50m.json?url';
import type { View } from './canvas-layer.client.ts';
import { drawDensity } from './density.ts';
import { drawLand } from './draw-land.ts';
import bordersUrl from './geography/borders.json?url';
import farBordersUrl from './geography/far-borders.json?url';
import namesUrl from './geography/names.json?url';
import waterUrl from './geography/water.json?url';
import type { Borders, Names, Water } from './geography.ts';
import { FAR_NAMES } from './far-names.ts';
import { drawLabels } from './draw-labels.client.ts';
import { loadFont } from './fonts.client.ts';
import { landBits } from './land-mask.ts';
import { areaOutlines, landOutlines, lineOutlines } from './land-outlines.ts';
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

/** Side of the picture that tells where land is, px. */
const MASK = 1024;

/** Draws everything below the nodes, with Natural Earth's outlines from our own server. */
export class LandPainter {
  // A first view of the world has nothing but the coarse outlines, and soon its borders. The others are loaded at their
  // zooms.
  readonly #coarse = load(coarseUrl, landOutlines);
  readonly #fine = this.#from(4, fineUrl, landOutlines);
  readonly #farBorders = this.#from(0, farBordersUrl, bordersOf);
  readonly #borders = this.#from(2.75, bordersUrl, bordersOf);
  readonly #water = this.#from(4, waterUrl, ({ units, lakes, rivers }: Water) => ({
    lakes: areaOutlines(units, lakes),
    rivers: lineOutlines(units, rivers),
  }));
  readonly #names = this.#from(2.75, namesUrl, async (names: Names) => {
    await loadFont('extended');
    return names;
  });
  readonly #font = loadFont('latin');

  /**
   * @param onMore more of the world has been loaded: the next drawing has it
   * @param onLand the bits of a LandMask
   */
  constructor(
    private readonly onMore: () => void,
    onLand: (bits: Uint8Array<ArrayBuffer>) => void,
  ) {
    void this.#coarse.then((land) => land && onLand(landBits(land, MASK)));
  }

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
    const { lakes = [], rivers = [] } = this.#water(zoom) ?? {};
    drawLand(context, view, palette, {
      land: (this.#fine(zoom) ?? coarse).filter(({ box }) => box.top <= south),
      borders: this.#borders(zoom) ?? this.#farBorders(zoom) ?? [],
      lakes,
      rivers,
    });
    drawDensity(context, view, alive, palette);
    await this.#font;
    drawLabels(context, view, palette, this.#names(zoom) ?? FAR_NAMES, obstacles);
    return canvas.transferToImageBitmap();
  }

  /** What is loaded once it is first asked for at this zoom or further in. What can't be loaded is left out. */
  #from<Body, Detail>(
    zoom: number,
    url: string,
    read: (body: Body) => Detail | Promise<Detail>,
  ): (shownZoom: number) => Detail | null {
    let detail: Detail | null = null;
    let asked = false;
    return (shownZoom) => {
      if (shownZoom < zoom) return null;
      if (!asked)
        void load(url, read).then((loaded) => {
          detail = loaded;
          if (loaded !== null) this.onMore();
        });
      asked = true;
      return detail;
    };
  }
}

const bordersOf = ({ units, lines }: Borders) => lineOutlines(units, lines);

/** Null if it can't be loaded. Nodes then lie on the graticule alone. */
async function load<Body, T>(url: string, read: (body: Body) => T | Promise<T>): Promise<T | null> {
  try {
    const response = await fetch(url);
    return response.ok ? await read((await response.json()) as Body) : null;
  } catch {
    return null;
  }
}
