import * as L from './leaflet.client.ts';
import { feature } from 'topojson-client';
import coarseUrl from 'world-atlas/land-110m.json?url';
import fineUrl from 'world-atlas/land-50m.json?url';
import { CanvasLayer, type View } from './canvas-layer.client.ts';
import { project, WORLD } from './mercator.ts';
import type { Palette } from './palette.client.ts';

type Topology = Parameters<typeof feature>[0];

/** Degrees between the lines of the graticule. */
const GRATICULE = 15;
/** The zoom from which the finer outlines are loaded and drawn. */
const FINE_ZOOM = 4;
/** The map ends at this latitude in the south. */
const POLE = -85;

/** Below it there is only Antarctica, which would fill a third of the map. */
export const SOUTH = -60;
const SOUTH_Y = project(SOUTH, 0).y;

/** Outlines drawn before yielding. */
const STEP = 16;

interface Outline {
  area: Path2D;
  coast: Path2D;
  box: L.Bounds;
}

/** Land, coast and graticule. The outlines are Natural Earth's, from our own server. */
export class LandLayer extends CanvasLayer {
  #coarse: Outline[] = [];
  #fine: Outline[] | 'loading' | undefined;

  /** @param antarctica whether land south of everything else is drawn */
  constructor(
    private palette: Palette,
    private antarctica = false,
  ) {
    super('tilePane');
  }

  override onAdd(): this {
    void load(coarseUrl).then((land) => {
      this.#coarse = land;
      this.redraw();
    });
    return super.onAdd();
  }

  showAntarctica(shown: boolean): void {
    if (shown === this.antarctica) return;
    this.antarctica = shown;
    this.redraw();
  }

  setPalette(palette: Palette): void {
    this.palette = palette;
    this.redraw();
  }

  #outlines(): Outline[] {
    if (this._map.getZoom() < FINE_ZOOM) return this.#coarse;
    if (!this.#fine) {
      this.#fine = 'loading';
      void load(fineUrl).then((land) => {
        // If they can't be loaded, the coarse ones stay.
        this.#fine = land.length > 0 ? land : this.#coarse;
        this.redraw();
      });
    }
    return this.#fine === 'loading' ? this.#coarse : this.#fine;
  }

  protected override *draw(context: CanvasRenderingContext2D, view: View): Generator<void> {
    const { scale, x, y, width, height, worlds } = view;
    const land = this.#outlines();
    graticule(context, view, this.palette.graticule);
    context.save();
    context.translate(-x, -y);
    context.scale(scale, scale);
    context.fillStyle = this.palette.land;
    context.strokeStyle = this.palette.coast;
    context.lineJoin = 'round';
    context.lineWidth = 1 / scale;
    const [left, right, top, bottom] = [x, x + width, y, y + height].map((edge) => edge / scale);
    const shown = L.bounds([left as number, top as number], [right as number, bottom as number]);
    // One more world on either side, because outlines extend across the date line.
    const first = (worlds[0] ?? 0) - WORLD;
    context.translate(first, 0);
    for (let world = first; world <= first + (worlds.length + 1) * WORLD; world += WORLD) {
      const offset = L.point(world, 0);
      let drawn = 0;
      for (const { area, coast, box } of land) {
        const { min, max } = box;
        if (!min || !max || (min.y > SOUTH_Y && !this.antarctica)) continue;
        if (!shown.intersects(L.bounds(min.add(offset), max.add(offset)))) continue;
        context.fill(area);
        context.stroke(coast);
        if (++drawn % STEP === 0) yield;
      }
      context.translate(WORLD, 0);
    }
    context.restore();
  }
}

/** Loads outlines; none if that fails. Nodes then lie on the graticule alone. */
async function load(url: string): Promise<Outline[]> {
  try {
    const response = await fetch(url);
    return response.ok ? outlines((await response.json()) as Topology) : [];
  } catch {
    return [];
  }
}

function graticule(context: CanvasRenderingContext2D, view: View, colour: string): void {
  const { scale, x, y, width, height, worlds } = view;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (const world of worlds)
    for (let lng = -180; lng < 180; lng += GRATICULE) {
      const at = Math.round((world + project(0, lng).x) * scale - x) + 0.5;
      if (at < 0 || at > width) continue;
      context.moveTo(at, 0);
      context.lineTo(at, height);
    }
  for (let lat = -75; lat <= 75; lat += GRATICULE) {
    const at = Math.round(project(lat, 0).y * scale - y) + 0.5;
    context.moveTo(0, at);
    context.lineTo(width, at);
  }
  context.stroke();
}

/** One outline per piece of land. Its area and its coast differ where the edge of the map cuts it. */
function outlines(topology: Topology): Outline[] {
  const land = topology.objects['land'];
  if (!land) return [];
  const collection = feature(topology, land);
  const features = 'features' in collection ? collection.features : [collection];
  return features.flatMap(({ geometry }) => {
    if (geometry.type === 'MultiPolygon') return geometry.coordinates.map(outline);
    return geometry.type === 'Polygon' ? [outline(geometry.coordinates)] : [];
  });
}

/** A piece of land with its lakes, px at zoom 0. */
function outline(rings: number[][][]): Outline {
  const area = new Path2D();
  const coast = new Path2D();
  const box = L.bounds([]);
  for (const ring of rings) {
    let previousLng = ring[0]?.[0] ?? 0;
    let turns = 0;
    ring.forEach(([lng = 0, lat = 0], index) => {
      // An outline that crosses the date line continues into the next world. Antarctica's outline runs
      // along the pole from one edge of the map to the other, which is neither a crossing nor a coast.
      const atPole = lat < POLE;
      if (!atPole && Math.abs(lng - previousLng) > 180) turns += lng < previousLng ? 1 : -1;
      previousLng = lng;
      const point = project(lat, lng + turns * 360);
      box.extend([point.x, point.y]);
      if (index === 0) area.moveTo(point.x, point.y);
      else area.lineTo(point.x, point.y);
      if (index === 0 || atPole) coast.moveTo(point.x, point.y);
      else coast.lineTo(point.x, point.y);
    });
    area.closePath();
  }
  return { area, coast, box };
}
