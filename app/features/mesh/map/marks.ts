import type { Peer } from '#server/mesh/mesh.schema.ts';
import { NODE_CLASSES } from '#server/common/values.schema.ts';
import { PEER_STATUSES } from '#server/mesh/values.schema.ts';

/**
 * What the map draws: single peers, and clusters where glyphs would cover each other. Since places are
 * rounded to a grid, many peers share one; they are a cluster at every zoom.
 */
export interface Mark {
  /** px at zoom 0 */
  x: number;
  y: number;
  /** Peers in it. */
  count: number;
  /** Of each status, in the order of PEER_STATUSES. */
  mix: readonly number[];
  /** Radius on the screen, CSS px. */
  radius: number;
  /** The one peer that it is; null for a cluster. */
  peer: { id: string; glyph: number } | null;
  /** The one place that all of it shares; null where it spans several. */
  place: LatLng | null;
  /** South-west and north-east corner of its places. */
  bounds: readonly [LatLng, LatLng];
}
export interface LatLng {
  lat: number;
  lng: number;
}

/** Every pair of class and status has its glyph; large under small, offline under online, so that what matters most is not hidden. */
export const GLYPHS = [...NODE_CLASSES]
  .reverse()
  .flatMap((size) => [...PEER_STATUSES].reverse().map((status) => ({ size, status })));
const GLYPH_OF = new Map(GLYPHS.map(({ size, status }, index) => [`${size} ${status}`, index]));

/** Radius of a cluster's ring by how many are in it, CSS px. */
export const clusterRadius = (count: number): number =>
  count < 10 ? 11 : count < 100 ? 14 : count < 1000 ? 17 : 21;

/** Places nearer to each other than about this are one mark, CSS px. */
const CELL = 36;
/** Radius of a glyph's claim on the screen, CSS px. */
const SINGLE = 7;

type Project = (lat: number, lng: number) => { x: number; y: number };

interface Entry {
  peer: Peer;
  place: Place;
}
interface Place extends LatLng {
  x: number;
  y: number;
  size: number;
}
interface Cell {
  x: number;
  y: number;
  count: number;
  mix: number[];
  place: Place;
  peer: Peer;
  south: number;
  north: number;
  west: number;
  east: number;
}

export class Marks {
  readonly #entries = new Map<string, Entry>();
  readonly #places = new Map<string, Place>();
  #matches: (peer: Peer) => boolean = () => true;
  #made: { scale: number; marks: Mark[] } | undefined;

  constructor(private readonly project: Project) {}

  /** Which peers are shown. */
  filter(matches: (peer: Peer) => boolean): void {
    this.#matches = matches;
    this.#made = undefined;
  }

  clear(): void {
    this.#entries.clear();
    this.#places.clear();
    this.#made = undefined;
  }

  /** Returns whether anything that is drawn may have changed: nearly no heartbeat does that. */
  set(peer: Peer): boolean {
    const before = this.#entries.get(peer.id);
    if (before && before.place.lat === peer.lat && before.place.lng === peer.lng) {
      const { peer: old } = before;
      before.peer = peer;
      if (old.status === peer.status && old.class === peer.class && old.label === peer.label)
        return false;
      this.#made = undefined;
      return true;
    }
    if (before && --before.place.size === 0) this.#places.delete(keyOf(before.place));
    const place = this.#place(peer);
    place.size++;
    this.#entries.set(peer.id, { peer, place });
    this.#made = undefined;
    return true;
  }

  /** Where the peer is, if it is known and shown. */
  find(id: string): LatLng | undefined {
    const entry = this.#entries.get(id);
    return entry && this.#matches(entry.peer) ? entry.place : undefined;
  }

  /** At this many px per px of zoom 0. In the order of drawing: single peers, then clusters, the largest last. */
  at(scale: number): readonly Mark[] {
    if (this.#made?.scale === scale) return this.#made.marks;
    const marks = merge([...this.#cells(scale).values()], scale).map(toMark);
    marks.sort((a, b) => rank(a) - rank(b));
    this.#made = { scale, marks };
    return marks;
  }

  #cells(scale: number): Map<number, Cell> {
    const cells = new Map<number, Cell>();
    const columns = Math.ceil((256 * scale) / CELL) + 1;
    for (const { peer, place } of this.#entries.values()) {
      if (!this.#matches(peer)) continue;
      const key =
        Math.floor((place.y * scale) / CELL) * columns + Math.floor((place.x * scale) / CELL);
      const cell = cells.get(key);
      const status = PEER_STATUSES.indexOf(peer.status);
      if (!cell) {
        const mix = [0, 0, 0, 0];
        mix[status] = 1;
        const { x, y, lat, lng } = place;
        const box = { south: lat, north: lat, west: lng, east: lng };
        cells.set(key, { x, y, count: 1, mix, place, peer, ...box });
        continue;
      }
      take(cell, { ...place, count: 1 }, place);
      cell.mix[status] = (cell.mix[status] ?? 0) + 1;
    }
    return cells;
  }

  #place({ lat, lng }: Peer): Place {
    const key = keyOf({ lat, lng });
    let place = this.#places.get(key);
    if (!place) {
      place = { lat, lng, ...this.project(lat, lng), size: 0 };
      this.#places.set(key, place);
    }
    return place;
  }
}

const keyOf = ({ lat, lng }: LatLng) => `${lat},${lng}`;

/** Moves the cell to the middle of all that is in it. */
function take(cell: Cell, { x, y, count }: { x: number; y: number; count: number }, box: LatLng) {
  const all = cell.count + count;
  cell.x += ((x - cell.x) * count) / all;
  cell.y += ((y - cell.y) * count) / all;
  cell.count = all;
  cell.south = Math.min(cell.south, box.lat);
  cell.north = Math.max(cell.north, box.lat);
  cell.west = Math.min(cell.west, box.lng);
  cell.east = Math.max(cell.east, box.lng);
}

/** Cells whose marks would cover each other become one: the edges of the cells lie where they lie. */
function merge(cells: Cell[], scale: number): Cell[] {
  cells.sort((a, b) => b.count - a.count);
  const grid = new Map<string, Cell[]>();
  const kept: Cell[] = [];
  for (const cell of cells) {
    const [column, row] = [cell.x, cell.y].map((at) => Math.floor((at * scale) / CELL)) as [
      number,
      number,
    ];
    const host = nearest(cell, grid, column, row, scale);
    if (host) {
      take(host, cell, { lat: cell.south, lng: cell.west });
      take(host, { ...cell, count: 0 }, { lat: cell.north, lng: cell.east });
      cell.mix.forEach((n, index) => (host.mix[index] = (host.mix[index] ?? 0) + n));
      continue;
    }
    kept.push(cell);
    const key = `${column} ${row}`;
    const there = grid.get(key);
    if (there) there.push(cell);
    else grid.set(key, [cell]);
  }
  return kept;
}

const claim = ({ count }: Cell) => (count === 1 ? SINGLE : clusterRadius(count));

/** The cell whose mark this one's would cover, among those that are larger. */
function nearest(
  cell: Cell,
  grid: ReadonlyMap<string, Cell[]>,
  column: number,
  row: number,
  scale: number,
): Cell | undefined {
  let found: Cell | undefined;
  let least = Infinity;
  for (let dx = -1; dx <= 1; dx++)
    for (let dy = -1; dy <= 1; dy++)
      for (const other of grid.get(`${column + dx} ${row + dy}`) ?? []) {
        const distance = Math.hypot(other.x - cell.x, other.y - cell.y) * scale;
        if (distance < Math.min(least, claim(cell) + claim(other))) {
          least = distance;
          found = other;
        }
      }
  return found;
}

function toMark(cell: Cell): Mark {
  const { x, y, count, mix, place, peer, south, north, west, east } = cell;
  const glyph = GLYPH_OF.get(`${peer.class} ${peer.status}`) ?? 0;
  const one = south === north && west === east;
  return {
    x,
    y,
    count,
    mix,
    radius: count === 1 ? SINGLE : clusterRadius(count),
    peer: count === 1 ? { id: peer.id, glyph } : null,
    place: one ? { lat: place.lat, lng: place.lng } : null,
    bounds: [
      { lat: south, lng: west },
      { lat: north, lng: east },
    ],
  };
}

const rank = ({ peer, count }: Mark) => (peer ? peer.glyph : GLYPHS.length + count);
