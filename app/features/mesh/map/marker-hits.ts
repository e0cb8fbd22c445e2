import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { HALO, RADIUS } from '#app/ui/status-shapes.ts';
import type { View } from './canvas-layer.client.ts';
import type { Pointed } from './marker-description.ts';
import { clusterRadius, ICONS, type LatLng, type Marker } from './marker.ts';
import type { Markers } from './markers.ts';
import { project, type Box } from './mercator.ts';

/** How far outside the view a marker is still drawn, because it may extend into the view, CSS px. */
export const MARGIN = 24;
/** Radius of the largest cluster, CSS px. */
const LARGEST = clusterRadius(Infinity);

/** What is under the pointer. */
export type Hit = { kind: 'marker'; marker: Marker } | { kind: 'genesis' } | null;

interface Circle {
  x: number;
  y: number;
  radius: number;
}

/** Where markers and Genesis are drawn, for those who point at them. */
export class MarkerHits {
  /** @param past the places are of another time, so nothing is known of single nodes */
  constructor(
    private readonly markers: Markers,
    private readonly head: () => PlacesHead,
    private readonly past: () => boolean,
  ) {}

  /** What is drawn within `reach` (CSS px) of a point of the world; the nearest of several. */
  hit({ x, y }: { x: number; y: number }, scale: number, reach: number): Hit {
    let found: Hit = null;
    let least = Infinity;
    const consider = (hit: Hit, at: { x: number; y: number }, radius: number) => {
      const distance = Math.hypot(at.x - x, at.y - y) * scale;
      if (distance > radius + reach || distance - radius >= least) return;
      least = distance - radius;
      found = hit;
    };
    const around = boxAround({ x, y }, (LARGEST + reach) / scale);
    for (const marker of this.markers.within(around, scale))
      consider({ kind: 'marker', marker }, marker, radiusOf(marker));
    const { genesis, genesisPlaced } = this.head();
    if (genesisPlaced) {
      const at = this.#genesisAt(genesis, scale);
      consider({ kind: 'genesis' }, { x: at.x / scale, y: at.y / scale }, HALO);
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
  describe(hit: NonNullable<Hit>): Pointed {
    if (hit.kind === 'genesis') {
      const { label, status } = this.head().genesis;
      return { kind: 'genesis', label, status };
    }
    const { byStatus, icon } = hit.marker;
    const size = icon === null ? null : (ICONS[icon]?.size ?? null);
    const regions = this.markers.regionsOf(hit.marker);
    if (this.past()) return { kind: 'marker', byStatus, size: null, regions, past: true };
    return { kind: 'marker', byStatus, size, regions };
  }

  /** Where it is drawn, CSS px at this scale. */
  circleOf(hit: NonNullable<Hit>, scale: number): Circle {
    const { genesis } = this.head();
    return hit.kind === 'genesis' ? this.#genesisAt(genesis, scale) : circleOf(hit.marker, scale);
  }

  /** Everything in a part of the map, with its position and radius, CSS px at this scale. */
  hitsIn(box: Box, scale: number): (Circle & { hit: NonNullable<Hit> })[] {
    const hits: (Circle & { hit: NonNullable<Hit> })[] = this.markers
      .within(box, scale)
      .map((marker) => ({
        hit: { kind: 'marker', marker },
        ...circleOf(marker, scale),
      }));
    const { genesis, genesisPlaced } = this.head();
    if (genesisPlaced) hits.push({ hit: { kind: 'genesis' }, ...this.#genesisAt(genesis, scale) });
    return hits;
  }

  #genesisAt({ lat, lng }: LatLng, scale: number): Circle {
    const { x, y } = project(lat, lng);
    return { x: x * scale, y: y * scale - this.lift(scale), radius: HALO };
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

const circleOf = (marker: Marker, scale: number): Circle => ({
  x: marker.x * scale,
  y: marker.y * scale,
  radius: radiusOf(marker),
});

const radiusOf = ({ icon, radius }: Marker): number =>
  icon === null ? radius : RADIUS[ICONS[icon]?.size ?? 'S'];

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
