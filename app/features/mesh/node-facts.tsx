import type { PeerStatus } from '#server/mesh/values.schema.ts';
import type { Genesis, Peer } from '#server/mesh/mesh.schema.ts';
import { coordinates } from '#app/lib/formatters.ts';
import { ExactTime } from '#app/ui/exact-time.tsx';
import facts from '#app/ui/facts.module.css';
import { Panel } from '#app/ui/panel.tsx';
import { Region } from '#app/ui/region.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import text from '#app/ui/text.module.css';
import { GenesisHealth } from './genesis-health.tsx';
import { LocationMap } from './location-map.tsx';
import styles from './node-facts.module.css';
import { NodeStatus } from './node-status.tsx';

export interface PeerDetailsProps {
  peer: Peer;
  /** The status in its last heartbeat. */
  reportedStatus: PeerStatus;
  /** Coordinates are rounded to multiples of this many degrees. */
  grid: number;
  /** The time of the data while the service can't be reached (ms); null while it can. */
  asOf: number | null;
}

/** What is known about a node from its heartbeats. */
export function PeerDetails({ peer, reportedStatus, grid, asOf }: PeerDetailsProps) {
  return (
    <>
      <Panel title="Node">
        <dl className={facts.facts}>
          <dt>Status</dt>
          <dd>
            <NodeStatus peer={peer} reportedStatus={reportedStatus} asOf={asOf} />
          </dd>
          <dt>Last seen</dt>
          <dd>
            <Moment at={peer.lastSeen} />
          </dd>
          <dt>Joined</dt>
          <dd>
            <Moment at={peer.joinedAt} />
          </dd>
          <dt>Class</dt>
          <dd>{peer.class}</dd>
          <dt>Region</dt>
          <dd>
            <Region code={peer.region} />
          </dd>
        </dl>
      </Panel>
      <Panel title="Location" className={styles.location}>
        <LocationMap lat={peer.lat} lng={peer.lng} grid={grid} status={peer.status} />
        <p>{coordinates(peer)}</p>
        <p className={text.secondary}>
          Anywhere in a square of about {squareKm(peer.lat, grid)} km. We round the coordinates
          before we store them.
        </p>
      </Panel>
    </>
  );
}

export function GenesisDetails({ genesis }: { genesis: Genesis }) {
  return (
    <>
      <Panel title="Health">
        <dl className={facts.facts}>
          <dt>Status</dt>
          <dd>
            <GenesisHealth genesis={genesis} />
          </dd>
          {genesis.joinedAt && (
            <>
              <dt>Since</dt>
              <dd>
                <Moment at={genesis.joinedAt} />
              </dd>
            </>
          )}
          <dt>Region</dt>
          <dd>
            <Region code={genesis.region} />
          </dd>
        </dl>
        <p className={`${text.secondary} ${styles.note}`}>
          {genesis.status === 'unknown' &&
            'No health check is configured, or the first one hasn’t finished. '}
          Heartbeats with the ID “genesis” are rejected. If this is your node’s ID, choose another
          one.
        </p>
      </Panel>
      <Panel title="Location" className={styles.location}>
        <LocationMap lat={genesis.lat} lng={genesis.lng} grid={null} status="genesis" />
        <p>{coordinates(genesis)}</p>
      </Panel>
    </>
  );
}

/** The exact time and how long ago it was. */
const Moment = ({ at }: { at: string }) => (
  <span className={styles.moment}>
    <ExactTime at={at} />, <RelativeTime at={at} />
  </span>
);

/** Kilometres per degree of latitude, and of longitude on the equator. */
const KM_PER_DEGREE = 111.2;

/** The sides of a square of the grid at a latitude, "56 × 49". */
function squareKm(lat: number, grid: number): string {
  const kmPerDegreeLng = Math.cos((lat * Math.PI) / 180) * KM_PER_DEGREE;
  return `${Math.round(grid * KM_PER_DEGREE)} × ${Math.max(1, Math.round(grid * kmPerDegreeLng))}`;
}
