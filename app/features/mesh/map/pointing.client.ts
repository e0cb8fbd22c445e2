import type { Map as LeafletMap } from 'leaflet';
import type * as L from './leaflet.client.ts';
import type { Insets } from './first-view.ts';
import { MarkerCursor, type Spot } from './marker-cursor.client.ts';
import { markerText } from './marker-description.ts';
import type { PointedAt } from './marker-tooltip.tsx';
import { project, WORLD } from './mercator.ts';
import type { Hit, MarkerHits } from './marker-hits.ts';

/** How far beside a marker a click still hits it, px. A finger is less precise than a mouse. */
const REACH = { fine: 4, coarse: 14 };

export interface PointingOptions {
  /** How much of the map is covered now. */
  insets: () => Insets;
  /** What the pointer or the keyboard's cursor is at now; null: nothing. */
  onPoint: (at: PointedAt | null) => void;
  /** A marker, or the map beside all of them, was clicked or opened by the keyboard. */
  onChoose: (hit: Hit, byKeyboard: boolean) => void;
}

type FoundSpot = Spot & { hit: NonNullable<Hit> };

/** Finds what the pointer and the keyboard's cursor are at. */
export function followPointer(
  map: LeafletMap,
  markers: MarkerHits,
  { insets, onPoint, onChoose }: PointingOptions,
): void {
  const host = map.getContainer();
  const coarsePointer = matchMedia('(pointer: coarse)');
  const scaleOf = () => map.getZoomScale(map.getZoom(), 0);
  const corner = () => map.getPixelBounds().min ?? { x: 0, y: 0 };

  const hitAt = ({ latlng }: L.LeafletMouseEvent): Hit => {
    const { lat, lng } = latlng.wrap();
    const reach = coarsePointer.matches ? REACH.coarse : REACH.fine;
    return markers.hit(project(lat, lng), scaleOf(), reach);
  };
  /** What is drawn where nothing covers the map, with its position on the map, CSS px. */
  const spots = (): FoundSpot[] => {
    const scale = scaleOf();
    const { x: left, y: top } = corner();
    const size = map.getSize();
    const free = insets();
    const width = WORLD * scale;
    const first = Math.floor(left / width);
    const copies = Array.from(
      { length: Math.floor((left + size.x) / width) - first + 1 },
      (_, n) => (first + n) * width,
    );
    const all = markers.hitsIn({ left: 0, right: WORLD, top: 0, bottom: WORLD }, scale);
    return copies.flatMap((world) =>
      all
        .map((spot) => ({ ...spot, x: spot.x + world - left, y: spot.y - top }))
        .filter(
          ({ x, y }) =>
            x > free.left && x < size.x - free.right && y > free.top && y < size.y - free.bottom,
        ),
    );
  };
  let pointed = '';
  const point = (spot: FoundSpot | null) => {
    const now = spot ? `${spot.x} ${spot.y}` : '';
    if (now === pointed) return;
    pointed = now;
    onPoint(spot && { ...spot, pointed: markers.describe(spot.hit) });
  };
  const cursor = new MarkerCursor<FoundSpot>(host, {
    spots,
    textOf: ({ hit }) => markerText(markers.describe(hit)),
    onPoint: point,
    onChoose: ({ hit }) => onChoose(hit, true),
  });

  let moving = false;
  map.on('movestart', () => {
    moving = true;
    point(null);
  });
  map.on('moveend', () => {
    moving = false;
    cursor.update();
  });
  map.on('zoomstart mouseout', () => point(null));
  map.on('click', (event) => onChoose(hitAt(event), false));
  map.on('mousemove', (event) => {
    if (moving) return;
    const hit = hitAt(event);
    host.style.cursor = hit ? 'pointer' : '';
    // A finger opens what it touches.
    if (!hit || coarsePointer.matches) return point(null);
    const { x: left, y: top } = corner();
    const { x, y, radius } = markers.circleOf(hit, scaleOf());
    // In the copy of the world under the pointer.
    const width = WORLD * scaleOf();
    const world = width * Math.round((event.containerPoint.x + left - x) / width);
    point({ hit, x: x + world - left, y: y - top, radius });
  });
}
