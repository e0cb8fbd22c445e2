import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { CALLOUT, calloutAt, calloutCircles, type NamedDisc } from './callouts.ts';
import type { View } from './canvas-layer.client.ts';
import type { Pointed } from './marker-description.ts';
import type { Marker, Markers } from './markers.ts';
import { project, xInWorld, type Box, type Circle, type LatLng } from './mercator.ts';

/** How far outside the view a marker is still drawn, because it may extend into the view, CSS px. */
export const MARGIN = 50;
/** How far from a place its marker with a line may reach, CSS px. */
const REACH = 120;

/** What can be pointed at, and where it is drawn, CSS px at the scale that it was asked for. */
export type Hit = Circle & ({ kind: 'marker'; marker: Marker } | { kind: 'genesis' });

/** A marker that stands beside its place. CSS px at the scale that it was asked for. */
export interface Callout extends NamedDisc {
  /** Its place. */
  foot: { x: number; y: number };
  /** It stands beside its place, with a line to it. */
  lead: boolean;
}

/** Where markers, Genesis and the chosen node are drawn, for those who point at them. */
export class MarkerHits {
  /** The node that is chosen, unless all nodes at a place are. */
  chosen: (LatLng & { label: string }) | null = null;
  /** The callouts of the scale that was asked for last. */
  #known: { key: string; genesis: Callout | null; chosen: Callout | null } | undefined;

  constructor(
    private readonly markers: Markers,
    private readonly head: () => PlacesHead,
  ) {}

  /** What is drawn within `reach` (CSS px) of a point of the world; the nearest of several. */
  hit({ x, y }: { x: number; y: number }, scale: number, reach: number): Hit | null {
    let found: Hit | null = null;
    let least = Infinity;
    for (const hit of this.hitsIn(boxAround({ x, y }, REACH / scale), scale)) {
      const far = Math.hypot(hit.x - x * scale, hit.y - y * scale);
      // Small ones are hit beside what is drawn of them.
      if (far <= Math.max(hit.radius, reach) && far - hit.radius < least)
        [found, least] = [hit, far - hit.radius];
    }
    return found;
  }

  /** Where Genesis and the chosen node stand: Genesis first, each beside all markers. */
  callouts(scale: number): { genesis: Callout | null; chosen: Callout | null } {
    const { genesis, genesisPlaced } = this.head();
    const { chosen } = this;
    const key = [
      this.markers.version,
      scale,
      genesisPlaced && `${genesis.lat},${genesis.lng},${genesis.label}`,
      chosen && `${chosen.lat},${chosen.lng},${chosen.label}`,
    ].join(' ');
    if (this.#known?.key === key) return this.#known;
    const taken: Circle[] = [];
    const find = ({ lat, lng, label }: LatLng & { label: string }, alone: boolean): Callout => {
      const foot = this.placeOf({ lat, lng }, scale);
      const near = this.markers.within(
        boxAround({ x: foot.x / scale, y: foot.y / scale }, REACH / scale),
        scale,
      );
      const others = near.flatMap((marker) => {
        const { x, y, radius, total } = marker;
        // A node that stands there alone makes room for its own callout.
        if (alone && total === 1 && Math.hypot(x * scale - foot.x, y * scale - foot.y) < 1)
          return [];
        return [{ x: x * scale, y: y * scale, radius: radius + 1.5 }];
      });
      const at = calloutAt(foot, label, [...others, ...taken]);
      taken.push(...calloutCircles(at));
      return { ...at, foot };
    };
    this.#known = {
      key,
      genesis: genesisPlaced ? find(genesis, false) : null,
      chosen: chosen ? find(chosen, true) : null,
    };
    return this.#known;
  }

  /** A position in the one world that is drawn, CSS px at a scale. */
  placeOf({ lat, lng }: LatLng, scale: number): { x: number; y: number } {
    const { x, y } = project(lat, lng);
    return { x: xInWorld(x, this.markers.cut) * scale, y: y * scale };
  }

  /** What it is, for those who point at it. */
  describe(hit: Hit): Pointed {
    if (hit.kind === 'marker') return this.markers.describe(hit.marker);
    const { label, status } = this.head().genesis;
    return { kind: 'genesis', label, status };
  }

  /** All markers with nodes that match in a part of the map, and Genesis, wherever it is. */
  hitsIn(box: Box, scale: number): Hit[] {
    const hits = this.markers
      .within(box, scale)
      .filter(({ count }) => count > 0)
      .map((marker): Hit => {
        const { x, y, radius } = marker;
        return { kind: 'marker', marker, x: x * scale, y: y * scale, radius };
      });
    const { genesis } = this.callouts(scale);
    if (genesis) hits.push({ kind: 'genesis', x: genesis.x, y: genesis.y, radius: CALLOUT });
    return hits;
  }

  /** Where names would be hidden: x, y and radius of each marker, CSS px on the canvas. */
  obstacles(view: View): number[] {
    const { scale, x: left, y: top } = view;
    const { genesis, chosen } = this.callouts(scale);
    const markers = this.markers
      .within(boxOf(view), scale)
      .map(({ x, y, radius }) => ({ x: x * scale, y: y * scale, radius }));
    const callouts = [genesis, chosen].flatMap((at) => (at ? calloutCircles(at) : []));
    return [...markers, ...callouts].flatMap(({ x, y, radius }) => [x - left, y - top, radius]);
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
