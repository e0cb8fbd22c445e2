import type { LocalMap } from '#server/drawing/maps.ts';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { LocationMap } from '#app/features/mesh/location-map.tsx';
import { coordinates } from '#app/lib/formatters.ts';
import { regionName } from '#app/lib/regions.ts';
import { Panel } from '#app/ui/panel.tsx';
import styles from './name-page.module.css';

export interface NamePlaceProps {
  peer: Peer;
  /** Null if it could not be drawn. */
  map: LocalMap | null;
  /** Coordinates are rounded to multiples of this many degrees. */
  grid: number;
}

/** Where the node of a name is, roughly. */
export function NamePlace({ peer, map, grid }: NamePlaceProps) {
  const region = peer.region === 'ZZ' ? null : (regionName(peer.region) ?? peer.region);
  return (
    <Panel title="Place" className={styles.place}>
      {map && <LocationMap map={map} grid={grid} status={peer.status} />}
      <p suppressHydrationWarning>
        {region && `${region}, `}
        {coordinates(peer)}
      </p>
    </Panel>
  );
}
