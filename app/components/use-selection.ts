import { useCallback, useEffect, useState } from 'react';
import type { Genesis, Peer } from '../../server/schemas/mesh.ts';
import type { MeshStore } from '../live-store.ts';
import type { MeshMap } from './map/mesh-map.client.ts';

interface Selection {
  /** Of peers, and perhaps of Genesis. */
  ids: string[];
  /** Chosen in the list: then the map moves there, and the focus to the card. */
  fromList: boolean;
}

const NOTHING: Selection = { ids: [], fromList: false };

/** What is chosen on the map or in the list, and the map that shows it. */
export function useSelection(store: MeshStore, mapVisible: boolean) {
  const [map, setMap] = useState<MeshMap | null>(null);
  const [selection, setSelection] = useState(NOTHING);
  const { ids, fromList } = selection;

  const { genesis } = store.head;
  const peers = ids.flatMap((id) => store.get(id) ?? []);
  const chosenGenesis: Genesis | null = ids.includes(genesis.id) ? genesis : null;
  const place: Peer | Genesis | null = ids[0] === genesis.id ? genesis : (peers[0] ?? null);
  const [lat, lng] = [place?.lat, place?.lng];

  useEffect(() => {
    if (!map || !mapVisible) return;
    const at = lat === undefined || lng === undefined ? null : { lat, lng };
    map.mark(at);
    if (at && fromList) map.show(at);
  }, [map, lat, lng, fromList, mapVisible]);

  return {
    setMap,
    peers,
    genesis: chosenGenesis,
    any: place !== null,
    fromList,
    chooseOnMap: useCallback((ids: string[]) => setSelection({ ids, fromList: false }), []),
    chooseInList: useCallback((id: string) => setSelection({ ids: [id], fromList: true }), []),
    close: useCallback(() => setSelection(NOTHING), []),
  };
}
