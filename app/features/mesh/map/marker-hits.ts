import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { HALO, RADIUS } from '#app/ui/status-shapes.ts';
import type { View } from './canvas-layer.client.ts';
import type { Pointed } from './marker-description.ts';
import { ICONS } from './grid-points.ts';
import { clusterRadius, type Marker, type Markers } from './markers.ts';
import { project, type Box, type Circle } from './mercator.ts';

/** How far outside the view a marker is still drawn, because it may extend into the view, CSS px. */
export const MARGIN = 24;
/** Radius of the largest cluster, CSS px. */
const LARGEST = clusterRadius(Infinity);

/** What can be pointed at, and where it is drawn, CSS px at the scale that it was asked for. */
export type Hit = Circle & ({ kind: 'marker'; marker: Marker } | { kind: 'genesis' });

/** Where markers and Genesis are drawn, for those who point at them. */
export class MarkerHits {
  constructor(
    private readonly markers: Markers,
    private readonly head: () => PlacesHead,
  ) {}

  /** What is drawn within `reach` (CSS px) of a point of the world; the nearest of several. */
  hit({ x, y }: { x: number; y: number }, scale: number, reach: number): Hit | null {
    let found: Hit | null = null;
    let least = Infinity;
    for (const hit of this.hitsIn(boxAround({ x, y }, (LARGEST + reach) / scale), scale)) {
      const beside = Math.hypot(hit.x - x * scale, hit.y - y * scale) - hit.radius;
      if (beside <= reach && beside < least) [found, least] = [hit, beside];
    }
    return found;
  }

  /** How far Genesis is drawn above its position, CSS px, so that it and the markers there don't hide each other. */
  lift(scale: number): number {
    const { lat, lng } = this.head().genesis;
    const at = project(lat, lng);
    let lift = 0;
    for (const marker of this.markers.within(boxAround(at, (LARGEST + HALO) / scale), scale)) {
      const [dx, dy] = [(marker.x - at.x) * scale, (marker.y - at.y) * scale];
      const reach = marker.radius + HALO;
      if (Math.hypot(dx, dy) < reach) lift = Math.max(lift, reach + 3 - dy);
    }
    return lift;
  }

  /** What it is, for those who point at it. */
  describe(hit: Hit): Pointed {
    if (hit.kind === 'marker') return this.markers.describe(hit.marker);
    const { label, status } = this.head().genesis;
    return { kind: 'genesis', label, status };
  }

  /** All markers in a part of the map, and Genesis, wherever it is. */
  hitsIn(box: Box, scale: number): Hit[] {
    const hits = this.markers.within(box, scale).map((marker): Hit => {
      const { x, y, icon, radius } = marker;
      return {
        kind: 'marker',
        marker,
        x: x * scale,
        y: y * scale,
        radius: icon === null ? radius : RADIUS[ICONS[icon]?.size ?? 'S'],
      };
    });
    const { genesis, genesisPlaced } = this.head();
    if (!genesisPlaced) return hits;
    const { x, y } = project(genesis.lat, genesis.lng);
    const lifted = y * scale - this.lift(scale);
    return [...hits, { kind: 'genesis', x: x * scale, y: lifted, radius: HALO }];
  }

  /** Where names would be hidden: x, y and radius of each marker, CSS px on the canvas. */
  obstacles(view: View): number[] {
    const { scale, x: left, y: top, worlds } = view;
    const hits = this.hitsIn(boxOf(view), scale);
    return worlds.flatMap((world) =>
      hits.flatMap(({ x, y, radius }) => [x + world * scale - left, y - top, radius]),
    );
  }
}

export const boxAround = ({ x, y }: { x: number; y: number }, reach: number): Box => ({
  left: x - reach,
  right: x + reach,
  top: y - reach,
  bottom: y + reach,
});

/** What the view shows, with the markers that extend into it. */
export const boxOf = ({ scale, x, y, width, height }: View): Box => ({
  left: (x - MARGIN) / scale,
  right: (x + width + MARGIN) / scale,
  top: (y - MARGIN) / scale,
  bottom: (y + height + MARGIN) / scale,
});
