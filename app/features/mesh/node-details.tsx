import { coordinates } from '#app/lib/formatters.ts';
import { Moment } from '#app/ui/moment.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { KM_PER_DEGREE, LocationMap } from './location-map.tsx';
import type { LoadedNode } from './node-page.server.ts';
import styles from './node-page.module.css';
import { GenesisFacts, PeerFacts } from './node-facts.tsx';
import { NodeStatus } from './node-status.tsx';

/**
 * What is known about a node from its heartbeats, or about Genesis from our own checks.
 * @param props.asOf the time of the data while the service can't be reached (ms); null while it can
 */
export function NodeDetails({ node, asOf }: { node: LoadedNode; asOf: number | null }) {
  const { genesis, peer, reportedStatus, grid, map } = node;
  return (
    <>
      {genesis && (
        <Panel title="Node">
          <GenesisFacts genesis={genesis} Time={Moment} />
          <p className={`${text.secondary} ${styles.note}`}>
            {genesis.status === 'unknown' &&
              'No health check is configured, or the first one hasn’t finished. '}
            Heartbeats with the ID “genesis” are rejected. If this is your node’s ID, choose another
            one.
          </p>
        </Panel>
      )}
      {genesis && map && (
        <Panel title="Location" className={styles.location}>
          <LocationMap map={map} grid={null} status="genesis" />
          <p>{coordinates(genesis)}</p>
        </Panel>
      )}
      {peer && reportedStatus && (
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
      )}
    </>
  );
}

/** The sides of a square of the grid at a latitude, "56 × 49". */
function squareKm(lat: number, grid: number): string {
  const kmPerDegreeLng = Math.cos((lat * Math.PI) / 180) * KM_PER_DEGREE;
  return `${Math.round(grid * KM_PER_DEGREE)} × ${Math.max(1, Math.round(grid * kmPerDegreeLng))}`;
}
