import {
  forwardRef,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type RefObject,
} from 'react';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { nodes } from '#app/lib/formatters.ts';
import { useLatest } from '#app/lib/polling.ts';
import card from '#app/ui/card.module.css';
import { mapText } from '#server/mesh/mesh-query.schema.ts';
import type { Insets, MapView as View } from './first-view.ts';
import leaflet from './leaflet.module.css';
import styles from './map-view.module.css';
import type { LatLng } from './marker.ts';
import { MarkerTooltip, type PointedAt } from './marker-tooltip.tsx';
import type { MeshMap, Selection } from './mesh-map.client.ts';
import type { Shown } from './place-layer.client.ts';

export interface MapViewProps {
  store: MeshStore;
  /** The list is shown otherwise. */
  visible: boolean;
  /** What is shown. Another object is another filter. */
  shown: Shown;
  /** Coordinates are rounded to multiples of this many degrees. */
  grid: number;
  /** How many nodes match. */
  count: number;
  /** Whether Genesis is on the map. */
  genesis: boolean;
  /** Position of the selected node. */
  selected: LatLng | null;
  /** Moves to the selected position: the selection was made outside the map. */
  moveToSelected: boolean;
  /** The view in the URL; null: all places. */
  view: View | null;
  /** What floats over the map, and whether it is folded. */
  panel: RefObject<HTMLElement>;
  folded: boolean;
  /** Changes when what floats over the map covers more or less of it. */
  covered?: number;
  /** Where else the nodes are, as the beginning of a sentence. */
  sameNodes?: string;
  onSelect: (selection: Selection, byKeyboard: boolean) => void;
  /** The visitor has moved or zoomed the map. */
  onView: (view: View) => void;
}

/** The map's element. Leaflet and all drawing code are loaded after the page. */
export const MapView = forwardRef<HTMLDivElement, MapViewProps>(function MapView(props, ref) {
  const { store, visible, shown, count, genesis, selected, moveToSelected, view, folded } = props;
  const { sameNodes = 'The list view shows the same nodes', covered } = props;
  const host = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => host.current as HTMLDivElement);
  const [map, setMap] = useState<MeshMap | null>(null);
  const [drawn, setDrawn] = useState(false);
  const [pointedAt, setPointedAt] = useState<PointedAt | null>(null);
  const [failed, setFailed] = useState(false);
  // The list needs no map. Once loaded, the map stays behind the list.
  const [needed, setNeeded] = useState(visible);
  if (visible && !needed) setNeeded(true);
  const latest = useLatest(props);
  /** The view that the map is known to have. */
  const shownView = useRef<string | null>(null);

  useEffect(() => {
    if (!needed) return;
    let unmounted = false;
    let created: MeshMap | undefined;
    import('./mesh-map.client.ts').then(
      ({ createMeshMap }) => {
        if (unmounted || !host.current) return;
        const { shown, grid, selected, view } = latest.current;
        shownView.current = view && mapText(view);
        created = createMeshMap(host.current, store, {
          shown,
          grid,
          selected,
          view,
          insets: () => insetsOf(host.current, latest.current),
          onSelect: (selection, byKeyboard) => latest.current.onSelect(selection, byKeyboard),
          onPoint: setPointedAt,
          onView(view) {
            shownView.current = mapText(view);
            latest.current.onView(view);
          },
          onDrawn: () => setDrawn(true),
        });
        setMap(created);
      },
      () => setFailed(true),
    );
    return () => {
      unmounted = true;
      created?.remove();
      setMap(null);
    };
  }, [needed, store, latest]);

  useEffect(() => map?.show(shown), [map, shown]);
  const { lat, lng } = selected ?? {};
  useEffect(() => {
    if (!map || !visible) return;
    const position = lat === undefined || lng === undefined ? null : { lat, lng };
    map.select(position);
    // A view in the URL is of the same link as the selection.
    if (position && moveToSelected && !latest.current.view) map.moveTo(position);
  }, [map, visible, lat, lng, moveToSelected, latest]);
  const viewText = view && mapText(view);
  useEffect(() => {
    const { view } = latest.current;
    if (!map || !view || viewText === shownView.current) return;
    shownView.current = viewText;
    map.setView(view);
  }, [map, viewText, latest]);
  useEffect(() => map?.uncover(), [map, folded, covered]);

  return (
    <>
      <div
        ref={host}
        className={`${styles.map} ${leaflet.leaflet}`}
        role="application"
        aria-label={
          drawn
            ? `Map: ${nodes(count)} ${genesis ? 'and Genesis' : 'shown'}. Use the arrow keys to move, plus and minus to zoom. ${sameNodes}.`
            : 'Map'
        }
      />
      {pointedAt && visible && (
        <MarkerTooltip at={pointedAt} width={host.current?.clientWidth ?? 0} />
      )}
      {failed && (
        <p className={`${card.floating} ${styles.failed}`} role="alert">
          The map couldn’t be loaded. Reload the page to try again. {sameNodes}.
        </p>
      )}
    </>
  );
});

/** What the panel covers of the map: its left side, or on a phone its lower end. A folded one leaves the left side. */
export function insetsOf(
  host: HTMLElement | null,
  { panel, folded }: Pick<MapViewProps, 'panel' | 'folded'>,
): Insets {
  const none = { top: 0, right: 0, bottom: 0, left: 0 };
  if (!host || !panel.current) return none;
  const [map, over] = [host.getBoundingClientRect(), panel.current.getBoundingClientRect()];
  if (over.width === 0 || over.right <= map.left || over.top >= map.bottom) return none;
  if (over.width > map.width / 2) return { ...none, bottom: Math.max(0, map.bottom - over.top) };
  if (folded) return none;
  return { ...none, left: Math.max(0, over.right - map.left) };
}
