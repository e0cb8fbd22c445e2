import { GridPoints, type DrawnPoint } from '../map/grid-points.ts';
import type { LandMask } from '../map/land-mask.ts';
import { sumOf, type Sum } from '../map/markers.ts';
import { project, type LatLng } from '../map/mercator.ts';
import { ringRadius, ringsOf } from '../map/rings.ts';
import { latLngOf, radiusAt, vectorOf, type Vector } from './orientation.ts';

/** A marker on the globe. */
export interface BallMarker extends Sum {
  /** Its position on the ball, as a unit vector. */
  at: Vector;
}

/** The places of a marker, and where it is. */
interface Cluster {
  members: DrawnPoint[];
  at: Vector;
}

/** Markers are made for steps of the zoom: between two of them they are only further apart. */
const STEPS = 4;
/** While the zoom changes, those from before stay for so many steps: making them takes as long as a frame. */
const STAY = 4;

/** The markers of all places on the globe. */
export class BallMarkers extends GridPoints {
  #made: { step: number; clusters: Cluster[]; markers: BallMarker[] | null } | undefined;
  #land: LandMask | null = null;
  /** Changes with what is drawn. */
  version = 0;

  protected override changed(counts: boolean): void {
    this.version++;
    // Other states of the same nodes leave the clusters as they are.
    if (counts) this.#made = undefined;
    else if (this.#made) this.#made.markers = null;
  }

  /** Clusters stand on land once it is known. */
  stayOn(land: LandMask): void {
    this.#land = land;
    this.changed(true);
  }

  /** All markers, the largest last. @param moving the zoom may still change */
  at(zoom: number, moving = false): BallMarker[] {
    const step = Math.floor(zoom * STEPS + 1e-6);
    const away = Math.abs(step - (this.#made?.step ?? Infinity));
    if (!this.#made || (moving ? away >= STAY : away > 0))
      this.#made = { step, clusters: this.#cluster(radiusAt(step / STEPS)), markers: null };
    return (this.#made.markers ??= this.#made.clusters.map(({ members, at }) => ({
      ...sumOf(members),
      at,
    })));
  }

  /** The marker that a place is a part of. */
  of({ lat, lng }: LatLng, zoom: number): BallMarker | undefined {
    return this.at(zoom).find(({ points }) =>
      points.some((point) => point.lat === lat && point.lng === lng),
    );
  }

  /** The largest last. */
  #cluster(radius: number): Cluster[] {
    const points = [...this.drawn()];
    const at = new Float64Array(3 * points.length);
    points.forEach((point, n) =>
      at.set(
        vectorOf(point).map((value) => value * radius),
        3 * n,
      ),
    );
    const land = this.#land;
    const rings = ringsOf({
      at,
      weights: points.map(({ drawn }) => drawn.total),
      round: true,
      land: land && ((x, y, z) => isLand(land, latLngOf([x, y, z]))),
    });
    const totalOf = ({ members }: Cluster) =>
      members.reduce((total, { drawn }) => total + drawn.total, 0);
    return rings
      .map(({ members, at }) => ({
        members: members.map((member) => points[member] as DrawnPoint),
        at: onBall(...at),
      }))
      .sort((a, b) => totalOf(a) - totalOf(b));
  }
}

/** What stands for two markers, between them. */
export function mergedMarker(a: BallMarker, b: BallMarker): BallMarker {
  const total = a.total + b.total;
  const share = b.total / total;
  const between = (axis: 0 | 1 | 2) => a.at[axis] + (b.at[axis] - a.at[axis]) * share;
  const both = (key: 'byStatus' | 'dimmed') => a[key].map((n, status) => n + (b[key][status] ?? 0));
  // Added up rather than counted again: it runs in every frame in which the globe turns.
  return {
    ...{ byStatus: both('byStatus'), dimmed: both('dimmed'), count: a.count + b.count, total },
    ...{ radius: ringRadius(total), icon: null, gridPoint: null },
    points: [...a.points, ...b.points],
    at: onBall(between(0), between(1), between(2)),
  };
}

/** A centre of several positions lies within the ball; what is drawn, on it. */
function onBall(x: number, y: number, z: number): Vector {
  const far = Math.hypot(x, y, z) || 1;
  return [x / far, y / far, z / far];
}

function isLand(land: LandMask, { lat, lng }: LatLng): boolean {
  const { x, y } = project(lat, lng);
  return land.has(x, y);
}
