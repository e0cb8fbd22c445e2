import { forwardRef, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { nodes } from '#app/lib/formatters.ts';
import { useLatest } from '#app/lib/polling.ts';
import card from '#app/ui/card.module.css';
import leaflet from './leaflet.module.css';
import styles from './map-view.module.css';
import type { LatLng } from './markers.ts';
import type { MeshMap, Selection } from './mesh-map.client.ts';

export interface MapViewProps {
  store: MeshStore;
  /** The list is shown otherwise. */
  visible: boolean;
  /** Which nodes are shown. Another function is another filter. */
  matches: (peer: Peer) => boolean;
  /** How many nodes match. */
  count: number;
  /** Position of the selected node. */
  selected: LatLng | null;
  /** Moves to the selected position: the selection was made outside the map. */
  moveToSelected: boolean;
  onSelect: (selection: Selection) => void;
}

/** The map's element. Leaflet and all drawing code are loaded after the page. */
export const MapView = forwardRef<HTMLDivElement, MapViewProps>(function MapView(props, ref) {
  const { store, visible, matches, count, selected, moveToSelected, onSelect } = props;
  const host = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => host.current as HTMLDivElement);
  const [map, setMap] = useState<MeshMap | null>(null);
  const [drawn, setDrawn] = useState(false);
  const [failed, setFailed] = useState(false);
  // The list needs no map. Once loaded, the map stays behind the list.
  const [needed, setNeeded] = useState(visible);
  if (visible && !needed) setNeeded(true);
  const latest = useLatest({ matches, selected, onSelect });

  useEffect(() => {
    if (!needed) return;
    let unmounted = false;
    let created: MeshMap | undefined;
    import('./mesh-map.client.ts').then(
      ({ createMeshMap }) => {
        if (unmounted || !host.current) return;
        created = createMeshMap(host.current, store, {
          ...latest.current,
          onSelect: (selection) => latest.current.onSelect(selection),
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

  useEffect(() => map?.filter(matches), [map, matches]);
  const { lat, lng } = selected ?? {};
  useEffect(() => {
    if (!map || !visible) return;
    const position = lat === undefined || lng === undefined ? null : { lat, lng };
    map.select(position);
    if (position && moveToSelected) map.moveTo(position);
  }, [map, visible, lat, lng, moveToSelected]);

  return (
    <>
      <div
        ref={host}
        className={`${styles.map} ${leaflet.leaflet}`}
        role="application"
        aria-label={
          drawn
            ? `Map: ${nodes(count)} and Genesis. Use the arrow keys to move, plus and minus to zoom. The list view shows the same nodes.`
            : 'Map'
        }
      />
      {failed && (
        <p className={`${card.floating} ${styles.failed}`} role="alert">
          The map couldn’t be loaded. Reload the page to try again, or use the list view, which
          shows the same nodes.
        </p>
      )}
    </>
  );
});
