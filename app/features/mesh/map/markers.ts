import type { Peer } from '#server/mesh/mesh.schema.ts';
import { NODE_CLASSES } from '#server/common/values.schema.ts';
import { PEER_STATUSES } from '#server/mesh/values.schema.ts';

/**
 * What the map draws: single nodes, and clusters where icons would overlap. Because positions are rounded to
 * a grid, many nodes share one; they are a cluster at every zoom.
 */
export interface Marker {
  /** px at zoom 0 */
  x: number;
  y: number;
  /** Nodes in it. */
  count: number;
  /** Nodes by status, in the order of PEER_STATUSES. */
  byStatus: readonly number[];
  /** Radius on the screen, CSS px. */
  radius: number;
  /** The single node, with its index in ICONS; null for a cluster. */
  peer: { id: string; icon: number } | null;
  /** The grid point that all of its nodes share; null if there are several. */
  gridPoint: LatLng | null;
  /** South-west and north-east corner of its grid points. */
  bounds: readonly [LatLng, LatLng];
}
export interface LatLng {
  lat: number;
  lng: number;
}

/**
 * The icon of every pair of class and status, in drawing order: large ones first and online ones last, so
 * that nothing important is hidden.
 */
export const ICONS = [...NODE_CLASSES]
  .reverse()
  .flatMap((size) => [...PEER_STATUSES].reverse().map((status) => ({ size, status })));
const ICON_INDEX = new Map(ICONS.map(({ size, status }, index) => [`${size} ${status}`, index]));

/** Radius of a cluster's ring by the number of its nodes, CSS px. */
export const clusterRadius = (count: number): number =>
  count < 10 ? 11 : count < 100 ? 14 : count < 1000 ? 17 : 21;

/** Grid points closer together than about this share a marker, CSS px. */
const CELL_SIZE = 36;
/** Radius that a single node takes up on the screen, CSS px. */
const SINGLE_RADIUS = 7;

type Project = (lat: number, lng: number) => { x: number; y: number };

interface Entry {
  peer: Peer;
  gridPoint: GridPoint;
}
interface GridPoint extends LatLng {
  x: number;
  y: number;
  /** Nodes at it. */
  count: number;
}
interface Cell {
  x: number;
  y: number;
  count: number;
  byStatus: number[];
  /** Of the first node in the cell. */
  gridPoint: GridPoint;
  peer: Peer;
  south: number;
  north: number;
  west: number;
  east: number;
}

/** The markers of all nodes that match the filter, at any zoom. */
export class Markers {
  readonly #entries = new Map<string, Entry>();
  readonly #gridPoints = new Map<string, GridPoint>();
  #matches: (peer: Peer) => boolean = () => true;
  #latest: { scale: number; markers: Marker[] } | undefined;

  constructor(private readonly project: Project) {}

  /** @param matches which nodes are shown */
  filter(matches: (peer: Peer) => boolean): void {
    this.#matches = matches;
    this.#latest = undefined;
  }

  clear(): void {
    this.#entries.clear();
    this.#gridPoints.clear();
    this.#latest = undefined;
  }

  /** @returns whether the drawing may have changed, which hardly any heartbeat does */
  set(peer: Peer): boolean {
    const before = this.#entries.get(peer.id);
    if (before && before.gridPoint.lat === peer.lat && before.gridPoint.lng === peer.lng) {
      const { peer: old } = before;
      before.peer = peer;
      if (old.status === peer.status && old.class === peer.class && old.label === peer.label)
        return false;
      this.#latest = undefined;
      return true;
    }
    if (before && --before.gridPoint.count === 0) this.#gridPoints.delete(keyOf(before.gridPoint));
    const gridPoint = this.#gridPointOf(peer);
    gridPoint.count++;
    this.#entries.set(peer.id, { peer, gridPoint });
    this.#latest = undefined;
    return true;
  }

  /** Where the node is; undefined if it is unknown or filtered out. */
  find(id: string): LatLng | undefined {
    const entry = this.#entries.get(id);
    return entry && this.#matches(entry.peer) ? entry.gridPoint : undefined;
  }

  /**
   * The markers in drawing order: single nodes, then clusters, the largest last.
   * @param scale px per px of zoom 0
   */
  at(scale: number): readonly Marker[] {
    if (this.#latest?.scale === scale) return this.#latest.markers;
    const markers = mergeOverlapping([...this.#cells(scale).values()], scale).map(toMarker);
    markers.sort((a, b) => drawingOrder(a) - drawingOrder(b));
    this.#latest = { scale, markers };
    return markers;
  }

  #cells(scale: number): Map<number, Cell> {
    const cells = new Map<number, Cell>();
    const columns = Math.ceil((256 * scale) / CELL_SIZE) + 1;
    for (const { peer, gridPoint } of this.#entries.values()) {
      if (!this.#matches(peer)) continue;
      const key =
        Math.floor((gridPoint.y * scale) / CELL_SIZE) * columns +
        Math.floor((gridPoint.x * scale) / CELL_SIZE);
      const cell = cells.get(key);
      const status = PEER_STATUSES.indexOf(peer.status);
      if (!cell) {
        const byStatus = [0, 0, 0, 0];
        byStatus[status] = 1;
        const { x, y, lat, lng } = gridPoint;
        const box = { south: lat, north: lat, west: lng, east: lng };
        cells.set(key, { x, y, count: 1, byStatus, gridPoint, peer, ...box });
        continue;
      }
      addTo(cell, { ...gridPoint, count: 1 }, gridPoint);
      cell.byStatus[status] = (cell.byStatus[status] ?? 0) + 1;
    }
    return cells;
  }

  #gridPointOf({ lat, lng }: Peer): GridPoint {
    const key = keyOf({ lat, lng });
    let gridPoint = this.#gridPoints.get(key);
    if (!gridPoint) {
      gridPoint = { lat, lng, ...this.project(lat, lng), count: 0 };
      this.#gridPoints.set(key, gridPoint);
    }
    return gridPoint;
  }
}

const keyOf = ({ lat, lng }: LatLng) => `${lat},${lng}`;

/** Adds nodes to a cell, which moves to the centre of all its nodes, and extends its bounds. */
function addTo(
  cell: Cell,
  { x, y, count }: { x: number; y: number; count: number },
  corner: LatLng,
) {
  const all = cell.count + count;
  cell.x += ((x - cell.x) * count) / all;
  cell.y += ((y - cell.y) * count) / all;
  cell.count = all;
  cell.south = Math.min(cell.south, corner.lat);
  cell.north = Math.max(cell.north, corner.lat);
  cell.west = Math.min(cell.west, corner.lng);
  cell.east = Math.max(cell.east, corner.lng);
}

/** Merges cells whose markers would overlap, because a group of nodes may lie across the edge of a cell. */
function mergeOverlapping(cells: Cell[], scale: number): Cell[] {
  cells.sort((a, b) => b.count - a.count);
  const grid = new Map<string, Cell[]>();
  const merged: Cell[] = [];
  for (const cell of cells) {
    const [column, row] = [cell.x, cell.y].map((at) => Math.floor((at * scale) / CELL_SIZE)) as [
      number,
      number,
    ];
    const larger = nearestOverlapping(cell, grid, column, row, scale);
    if (larger) {
      addTo(larger, cell, { lat: cell.south, lng: cell.west });
      addTo(larger, { ...cell, count: 0 }, { lat: cell.north, lng: cell.east });
      cell.byStatus.forEach((n, i) => (larger.byStatus[i] = (larger.byStatus[i] ?? 0) + n));
      continue;
    }
    merged.push(cell);
    const key = `${column} ${row}`;
    const neighbours = grid.get(key);
    if (neighbours) neighbours.push(cell);
    else grid.set(key, [cell]);
  }
  return merged;
}

const radiusOf = (count: number) => (count === 1 ? SINGLE_RADIUS : clusterRadius(count));

/** The nearest of the larger cells whose marker this cell's marker would overlap. */
function nearestOverlapping(
  cell: Cell,
  grid: ReadonlyMap<string, Cell[]>,
  column: number,
  row: number,
  scale: number,
): Cell | undefined {
  let nearest: Cell | undefined;
  let least = Infinity;
  for (let dx = -1; dx <= 1; dx++)
    for (let dy = -1; dy <= 1; dy++)
      for (const other of grid.get(`${column + dx} ${row + dy}`) ?? []) {
        const distance = Math.hypot(other.x - cell.x, other.y - cell.y) * scale;
        if (distance < Math.min(least, radiusOf(cell.count) + radiusOf(other.count))) {
          least = distance;
          nearest = other;
        }
      }
  return nearest;
}

function toMarker(cell: Cell): Marker {
  const { x, y, count, byStatus, gridPoint, peer, south, north, west, east } = cell;
  const icon = ICON_INDEX.get(`${peer.class} ${peer.status}`) ?? 0;
  const isOnePoint = south === north && west === east;
  return {
    x,
    y,
    count,
    byStatus,
    radius: radiusOf(count),
    peer: count === 1 ? { id: peer.id, icon } : null,
    gridPoint: isOnePoint ? { lat: gridPoint.lat, lng: gridPoint.lng } : null,
    bounds: [
      { lat: south, lng: west },
      { lat: north, lng: east },
    ],
  };
}

const drawingOrder = ({ peer, count }: Marker) => (peer ? peer.icon : ICONS.length + count);
