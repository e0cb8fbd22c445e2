import L from 'leaflet';
import { feature } from 'topojson-client';
import coarseUrl from 'world-atlas/land-110m.json?url';
import fineUrl from 'world-atlas/land-50m.json?url';
import { CanvasLayer, WORLD, type View } from './canvas-layer.client.ts';
import type { Palette } from './palette.client.ts';

type Topology = Parameters<typeof feature>[0];

/** Degrees between the lines of the graticule. */
const GRATICULE = 15;
/** From this zoom on the finer outlines are drawn; who stays above never loads them. */
const FINE_ZOOM = 4;
/** South of this latitude lies the edge of the map. */
const POLE = -85;

/** Pieces that are drawn between two looks at the clock. */
const STEP = 16;

interface Outline {
  area: Path2D;
  coast: Path2D;
  box: L.Bounds;
}

/** Land, coast and graticule: Natural Earth outlines, of our own server. */
export class LandLayer extends CanvasLayer {
  #coarse: Outline[] = [];
  #fine: Outline[] | 'loading' | undefined;

  constructor(private palette: Palette) {
    super('tilePane');
  }

  override onAdd(): this {
    void load(coarseUrl).then((land) => {
      this.#coarse = land;
      this.redraw();
    });
    return super.onAdd();
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
        // Without them the coarse ones have to do.
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
    // One world more on either side: outlines reach across the date line.
    const first = (worlds[0] ?? 0) - WORLD;
    context.translate(first, 0);
    for (let world = first; world <= first + (worlds.length + 1) * WORLD; world += WORLD) {
      const offset = L.point(world, 0);
      let drawn = 0;
      for (const { area, coast, box } of land) {
        const { min, max } = box;
        if (!min || !max || !shown.intersects(L.bounds(min.add(offset), max.add(offset)))) continue;
        context.fill(area);
        context.stroke(coast);
        if (++drawn % STEP === 0) yield;
      }
      context.translate(WORLD, 0);
    }
    context.restore();
  }
}

/** Until the outlines are here, and if they never come, peers lie on the graticule. */
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

/** Web Mercator at zoom 0, px. Beyond 85 degrees there is no map: the pole is drawn at its edge. */
export const project = (lat: number, lng: number) =>
  L.CRS.EPSG3857.latLngToPoint(L.latLng(lat, lng), 0);

/** The pieces of land. What a piece is filled with and its coast differ where the edge of the map cuts it. */
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

/** One piece with its lakes, px at zoom 0. */
function outline(rings: number[][][]): Outline {
  const area = new Path2D();
  const coast = new Path2D();
  const box = L.bounds([]);
  for (const ring of rings) {
    let before = ring[0]?.[0] ?? 0;
    let turns = 0;
    ring.forEach(([lng = 0, lat = 0], index) => {
      // An outline that crosses the date line goes on into the next world. Antarctica's follows the
      // pole from one edge of the map to the other: that is no crossing, and no coast.
      const atPole = lat < POLE;
      if (!atPole && Math.abs(lng - before) > 180) turns += lng < before ? 1 : -1;
      before = lng;
      const point = project(lat, lng + turns * 360);
      box.extend(point);
      if (index === 0) area.moveTo(point.x, point.y);
      else area.lineTo(point.x, point.y);
      if (index === 0 || atPole) coast.moveTo(point.x, point.y);
      else coast.lineTo(point.x, point.y);
    });
    area.closePath();
  }
  return { area, coast, box };
}
