import type { Map as LeafletMap } from 'leaflet';
import type * as L from './leaflet.client.ts';
import { MarkerCursor } from './marker-cursor.client.ts';
import { project } from './mercator.ts';
import type { Hit, MarkerHits } from './marker-hits.ts';
import type { DrawingOptions } from './use-drawing.ts';

/** How far around the middle of a marker a click hits it at least, px. A finger is less precise than a mouse. */
const REACH = { fine: 12, coarse: 22 };

interface PointingOptions extends Pick<DrawingOptions, 'insets' | 'onPoint'> {
  /** A marker, or the map beside all of them, was clicked or opened by the keyboard. */
  onChoose: (hit: Hit | null, byKeyboard: boolean) => void;
}

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

  const hitAt = ({ latlng }: L.LeafletMouseEvent): Hit | null => {
    const reach = coarsePointer.matches ? REACH.coarse : REACH.fine;
    return markers.hit(project(latlng.lat, latlng.lng), scaleOf(), reach);
  };
  /** What is drawn where nothing covers the map, with its position on the map, CSS px. */
  const spots = (): Hit[] => {
    const scale = scaleOf();
    const { x: left, y: top } = corner();
    const size = map.getSize();
    const free = insets();
    const box = {
      ...{ left: left / scale, right: (left + size.x) / scale },
      ...{ top: top / scale, bottom: (top + size.y) / scale },
    };
    return markers
      .hitsIn(box, scale)
      .map((spot) => ({ ...spot, x: spot.x - left, y: spot.y - top }))
      .filter(
        ({ x, y }) =>
          x > free.left && x < size.x - free.right && y > free.top && y < size.y - free.bottom,
      );
  };
  let pointed = '';
  const point = (spot: Hit | null, byKeyboard = false) => {
    const now = spot ? `${spot.x} ${spot.y} ${byKeyboard}` : '';
    if (now === pointed) return;
    pointed = now;
    onPoint(spot && { ...spot, pointed: markers.describe(spot), byKeyboard });
  };
  const cursor = new MarkerCursor(host, {
    spots,
    middle() {
      const { x, y } = map.getSize();
      const { top, right, bottom, left } = insets();
      return { x: (left + x - right) / 2, y: (top + y - bottom) / 2 };
    },
    onPoint: (spot) => point(spot, true),
    onChoose: (spot) => onChoose(spot, true),
    onZoom: (steps) => map.setZoom(map.getZoom() + steps),
    onMove: (across, down) => map.panBy([across, down]),
    onClose: () => onChoose(null, true),
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
    point({ ...hit, x: hit.x - left, y: hit.y - top });
  });
}
