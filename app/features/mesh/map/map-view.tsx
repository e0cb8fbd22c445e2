import { useEffect, useRef, useState } from 'react';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import { nodes } from '#app/lib/formatters.ts';
import type { MeshStore } from '#app/features/live/live-store.ts';
import type { LatLng } from './marks.ts';
import type { Choice, MeshMap } from './mesh-map.client.ts';

export interface MapViewProps {
  store: MeshStore;
  visible: boolean;
  /** Which peers are shown; another function, another filter. */
  matches: (peer: Peer) => boolean;
  /** How many that are. */
  count: number;
  /** Where the chosen node lies. */
  chosen: LatLng | null;
  /** Whether the choice was made elsewhere than on the map, which then moves there. */
  moveTo: boolean;
  onChoose: (choice: Choice) => void;
}

/** The place of the map. Leaflet and all that draws come in a chunk of their own, after the page. */
export function MapView({
  store,
  visible,
  matches,
  count,
  chosen,
  moveTo,
  onChoose,
}: MapViewProps) {
  const host = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<MeshMap | null>(null);
  const [drawn, setDrawn] = useState(false);
  const [failed, setFailed] = useState(false);
  // Who only reads the list needs no map. Once it is there it stays, hidden behind the list.
  const [wanted, setWanted] = useState(visible);
  if (visible && !wanted) setWanted(true);
  const latest = useRef({ matches, chosen, onChoose });
  latest.current = { matches, chosen, onChoose };

  useEffect(() => {
    if (!wanted) return;
    let left = false;
    let created: MeshMap | undefined;
    import('./mesh-map.client.ts').then(
      ({ createMeshMap }) => {
        if (left || !host.current) return;
        created = createMeshMap(host.current, store, {
          ...latest.current,
          onChoose: (choice) => latest.current.onChoose(choice),
          onDrawn: () => setDrawn(true),
        });
        setMap(created);
      },
      () => setFailed(true),
    );
    return () => {
      left = true;
      created?.remove();
      setMap(null);
    };
  }, [wanted, store]);

  useEffect(() => map?.filter(matches), [map, matches]);
  const { lat, lng } = chosen ?? {};
  useEffect(() => {
    if (!map || !visible) return;
    const place = lat === undefined || lng === undefined ? null : { lat, lng };
    map.mark(place);
    if (place && moveTo) map.show(place);
  }, [map, visible, lat, lng, moveTo]);

  return (
    <>
      <div
        ref={host}
        className="map"
        role="application"
        aria-label={
          drawn
            ? `Map: ${nodes(count)} and Genesis. Arrow keys move it, plus and minus zoom. The list has the same nodes.`
            : 'Map'
        }
      />
      {failed && (
        <p className="map-failed card" role="alert">
          The map could not be loaded. The list shows the same nodes; reload the page to try again.
        </p>
      )}
    </>
  );
}
