import { useEffect, useRef, useState } from 'react';
import type { MeshStore } from '../../live-store.ts';
import type { MeshMap } from './mesh-map.client.ts';

/** The place of the map. Leaflet and all that draws come in a chunk of their own, after the page. */
export function MapView({
  store,
  visible,
  onMap,
  onSelect,
}: {
  store: MeshStore;
  visible: boolean;
  /** Called with the map once it is there, and with null when it goes. */
  onMap: (map: MeshMap | null) => void;
  onSelect: (ids: string[]) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  // Who only reads the list needs no map. Once it is there it stays, hidden behind the list.
  const [wanted, setWanted] = useState(visible);
  if (visible && !wanted) setWanted(true);
  const select = useRef(onSelect);
  select.current = onSelect;

  useEffect(() => {
    if (!wanted) return;
    let left = false;
    let map: MeshMap | undefined;
    const chunk = import('./mesh-map.client.ts');
    chunk.then(
      ({ createMeshMap }) => {
        if (left || !host.current) return;
        map = createMeshMap(host.current, store, (ids) => select.current(ids));
        onMap(map);
      },
      () => setFailed(true),
    );
    return () => {
      left = true;
      map?.remove();
      onMap(null);
    };
  }, [wanted, store, onMap]);

  return (
    <>
      <div ref={host} className="map" role="application" aria-label="Map" />
      {failed && (
        <p className="map-failed card" role="alert">
          The map could not be loaded. The list shows the same nodes; reload the page to try again.
        </p>
      )}
    </>
  );
}
