import type { LocalMap } from '#server/drawing/index.ts';
import type { PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { Genesis, Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { coordinates } from '#app/lib/formatters.ts';
import { Moment } from '#app/ui/moment.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { KM_PER_DEGREE, LocationMap } from './location-map.tsx';
import styles from './node-page.module.css';
import { GenesisFacts, PeerFacts } from './node-facts.tsx';
import { NodeStatus } from './node-status.tsx';

export interface PeerDetailsProps {
  peer: Peer;
  /** The status in its last heartbeat. */
  reportedStatus: PeerStatus;
  /** Coordinates are rounded to multiples of this many degrees. */
  grid: number;
  /** What is around it; null if it could not be drawn. */
  map: LocalMap | null;
  /** The time of the data while the service can't be reached (ms); null while it can. */
  asOf: number | null;
}

/** What is known about a node from its heartbeats. */
export function PeerDetails({ peer, reportedStatus, grid, map, asOf }: PeerDetailsProps) {
  return (
    <>
      <Panel title="Node">
        <PeerFacts
          peer={peer}
          status={<NodeStatus peer={peer} reportedStatus={reportedStatus} asOf={asOf} />}
          Time={Moment}
        />
      </Panel>
      <Panel title="Location" className={styles.location}>
        {map && <LocationMap map={map} grid={grid} status={peer.status} />}
        <p>{coordinates(peer)}</p>
        <p className={text.secondary}>
          Anywhere in a square of about {squareKm(peer.lat, grid)} km. We round the coordinates
          before we store them.
        </p>
      </Panel>
    </>
  );
}

interface GenesisDetailsProps {
  genesis: Genesis;
  /** What is around it; null where its location isn't configured, or if it could not be drawn. */
  map: LocalMap | null;
}

export function GenesisDetails({ genesis, map }: GenesisDetailsProps) {
  return (
    <>
      <Panel title="Node">
        <GenesisFacts genesis={genesis} Time={Moment} />
        <p className={`${text.secondary} ${styles.note}`}>
          {genesis.status === 'unknown' &&
            'No health check is configured, or the first one hasn’t finished. '}
          Heartbeats with the ID “genesis” are rejected. If this is your node’s ID, choose another
          one.
        </p>
      </Panel>
      {map && (
        <Panel title="Location" className={styles.location}>
          <LocationMap map={map} grid={null} status="genesis" />
          <p>{coordinates(genesis)}</p>
        </Panel>
      )}
    </>
  );
}

/** The sides of a square of the grid at a latitude, "56 × 49". */
function squareKm(lat: number, grid: number): string {
  const kmPerDegreeLng = Math.cos((lat * Math.PI) / 180) * KM_PER_DEGREE;
  return `${Math.round(grid * KM_PER_DEGREE)} × ${Math.max(1, Math.round(grid * kmPerDegreeLng))}`;
}
