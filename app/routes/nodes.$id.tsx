import { data, redirect, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import type { ReactNode } from 'react';
import { isReservedNodeId } from '#server/common/fields.schema.ts';
import type { Genesis, Peer } from '#server/mesh/mesh.schema.ts';
import type { RegistryEntry } from '#server/registry/registry.schema.ts';
import type { PeerStatus } from '#server/mesh/values.schema.ts';
import type { UnlistedReason } from '#server/computes/values.schema.ts';
import type { NodeCompute } from '#server/mesh/index.ts';
import { exact, PageMoment } from '#app/lib/clock.ts';
import { Status } from '#app/ui/status-icon.tsx';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { NeverSeen } from '#app/features/mesh/node-troubleshooting.tsx';
import { NodeStatus } from '#app/features/mesh/node-status.tsx';
import { GenesisHealth } from '#app/features/mesh/overview.tsx';
import { Page } from '#app/ui/page.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { PlaceMap } from '#app/features/mesh/location-map.tsx';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { capacity, place } from '#app/lib/formatters.ts';
import { whyNoNodeId } from '#app/features/mesh/node-id.ts';
import { pageMeta } from '#app/lib/page-meta.ts';
import { wizardHref } from '#app/features/registration/wizard.ts';

/** A node is waited for here: its first heartbeat shows within this time (ms). */
const REFRESH_MS = 5000;

/** GET /nodes/:id: 404 where nothing is known of the node, with a page that says why that may be. */
export function loader({ params, context: { services, origin } }: LoaderFunctionArgs) {
  const id = params['id'] ?? '';
  if (isReservedNodeId(id) && id !== 'genesis') return redirect('/nodes/genesis', 301);
  const details = services.mesh.node(id);
  const { genesis, blocked, peer, computes, names } = details;
  const known =
    genesis !== null || blocked || peer !== null || computes.length > 0 || names.length > 0;
  const { coordinateGrid, webhookSecrets } = services.config;
  const page = {
    ...details,
    id,
    known,
    grid: coordinateGrid,
    problem: whyNoNodeId(id),
    service: { origin: origin(), secret: webhookSecrets.length > 0 },
  };
  return data(page, { status: known ? 200 : 404 });
}
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => {
  if (!data?.known)
    return [
      ...pageMeta('Node not known', 'A node that has not sent a heartbeat, and what it needs.'),
      { name: 'robots', content: 'noindex' },
    ];
  const { id, peer, genesis, service } = data;
  const label = genesis?.label ?? peer?.label ?? id;
  const status = genesis?.status ?? peer?.status ?? (data.blocked ? 'blocked' : 'no heartbeat yet');
  return pageMeta(
    label === id ? id : `${label} (${id})`,
    `A node of the mesh. Now: ${status}.`,
    `${service.origin}/nodes/${id}`,
  );
};

export default function NodePage() {
  const loaded = useLoaderData<typeof loader>();
  const connection = usePageRefresh(loaded, REFRESH_MS);
  const { id, genesis, blocked, peer, reportedStatus, grid, service, problem, computes, names } =
    loaded;
  const title = genesis?.label ?? peer?.label ?? cut(id);
  const asOf = connection.state === 'stale' ? connection.asOf : null;
  return (
    <PageMoment.Provider value={Date.parse(loaded.updatedAt)}>
      <Page
        className="node-page"
        title={title}
        intro={
          genesis ? (
            'The bootstrap peer. Its health comes from a check by this service, not from heartbeats.'
          ) : peer ? (
            peer.label !== id && <code>{id}</code>
          ) : (
            <strong>
              {blocked
                ? 'The reviewers have blocked this node. The map and the directory leave it out.'
                : problem
                  ? `No node can have this id. ${problem}`
                  : 'No heartbeat of this node has come.'}
            </strong>
          )
        }
        actions={
          (peer ?? genesis) && (
            <Link className="button" to={`/?node=${encodeURIComponent(id)}`}>
              Show on the map
            </Link>
          )
        }
        live={<ConnectionStatus connection={connection} madeAt={loaded.updatedAt} />}
      >
        <div className="panels">
          {genesis && <GenesisPanels genesis={genesis} />}
          {peer && reportedStatus && (
            <PeerPanels peer={peer} reportedStatus={reportedStatus} grid={grid} asOf={asOf} />
          )}
          {blocked && <Blocked />}
          {!peer && !genesis && !blocked && (
            <NeverSeen id={id} problem={problem} service={service} everyMs={REFRESH_MS} />
          )}
          {!genesis && (peer ?? loaded.known) && (
            <>
              <Names id={id} names={names} beside={peer !== null} />
              {!blocked && <Computes computes={computes} />}
            </>
          )}
        </div>
      </Page>
    </PageMoment.Provider>
  );
}

function Blocked() {
  return (
    <Panel title="What this means" className="wide">
      <p>
        Its heartbeats and announces are refused with 403 <code>blocked</code>. What it sent before
        is kept, and shows again once the block is lifted. If this is your node, ask whoever runs
        this network.
      </p>
    </Panel>
  );
}

/** A text that may be as long as an address can be. */
const cut = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

interface PeerPanelsProps {
  peer: Peer;
  reportedStatus: PeerStatus;
  grid: number;
  asOf: number | null;
}

function PeerPanels({ peer, reportedStatus, grid, asOf }: PeerPanelsProps) {
  return (
    <>
      <Panel title="Node">
        <dl className="facts">
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
          <dd>{peer.region === 'ZZ' ? 'ZZ, not given' : peer.region}</dd>
        </dl>
      </Panel>
      <Panel title="Place" className="place">
        <PlaceMap lat={peer.lat} lng={peer.lng} grid={grid} status={peer.status} />
        <p>{place(peer)}</p>
        <p className="secondary">
          Anywhere in a square of about {squareKm(peer.lat, grid)} km around it: the place that its
          operator gave is rounded before it is kept.
        </p>
      </Panel>
    </>
  );
}

/** The sides of a square of the grid at a latitude, "56 × 49". */
function squareKm(lat: number, grid: number): string {
  /** Of one degree of latitude, everywhere, and of longitude on the equator. */
  const KM = 111.2;
  const across = Math.cos((lat * Math.PI) / 180) * KM;
  return `${Math.round(grid * KM)} × ${Math.max(1, Math.round(grid * across))}`;
}

/** A moment as it was, and how long ago that is. */
const Moment = ({ at }: { at: string }) => (
  <>
    {exact(at)}, <RelativeTime at={at} />
  </>
);

function GenesisPanels({ genesis }: { genesis: Genesis }) {
  return (
    <>
      <Panel title="Health">
        <dl className="facts">
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
          <dd>{genesis.region}</dd>
        </dl>
        <p className="secondary">
          {genesis.status === 'unknown' &&
            'No health address is configured, or the first check has not ended. '}
          A heartbeat with the id “genesis” is refused: if your node is to be here, give it another
          id.
        </p>
      </Panel>
      <Panel title="Place" className="place">
        <PlaceMap lat={genesis.lat} lng={genesis.lng} grid={null} status="genesis" />
        <p>{place(genesis)}</p>
      </Panel>
    </>
  );
}

const WHY_UNLISTED: Record<UnlistedReason, (name: string) => ReactNode> = {
  name_not_active: (name) => (
    <>
      The name is not active. <Link to={`/registry/${name}`}>See whether it can be registered</Link>
      ; once it is active the compute is listed by itself.
    </>
  ),
  name_owned_by_another_node: (name) => (
    <>
      The name <Link to={`/registry/${name}`}>belongs to another node</Link>. Announce it under a
      name that is registered with this node’s id.
    </>
  ),
  registration_lacks_compute: (name) => (
    <>
      The name <Link to={`/registry/${name}`}>is registered</Link> for a node only. Announce it
      under a name of the kind compute.
    </>
  ),
};

function Computes({ computes }: { computes: NodeCompute[] }) {
  return (
    <Panel title="Computes" className="wide">
      {computes.length === 0 ? (
        <p className="secondary">
          This node has announced none.{' '}
          <Link to="/docs/operators#announce">How to announce one</Link>
        </p>
      ) : (
        <table className="table" role="table">
          <caption className="visually-hidden">Computes that this node announced</caption>
          <thead role="rowgroup">
            <tr role="row">
              {['Name', 'Status', 'Capacity', 'Last seen', 'In the directory'].map((head) => (
                <th key={head} role="columnheader" scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {computes.map((compute) => (
              <tr key={compute.name} role="row">
                <th role="rowheader" scope="row" className="name">
                  {compute.listed ? (
                    <Link to={`/registry/${compute.name}`}>{compute.name}</Link>
                  ) : (
                    compute.name
                  )}
                </th>
                <td role="cell">
                  <Status status={compute.status} />
                </td>
                <td role="cell" className="free">
                  {capacity(compute)}
                </td>
                <td role="cell">
                  <RelativeTime at={compute.lastSeen} />
                </td>
                <td role="cell" className="listed">
                  {compute.reason ? (
                    <>
                      <strong>Not listed.</strong> {WHY_UNLISTED[compute.reason](compute.name)}
                    </>
                  ) : (
                    'Listed'
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

/** `beside`: there is room under the node's facts, beside its map. */
function Names({ id, names, beside }: { id: string; names: RegistryEntry[]; beside: boolean }) {
  return (
    <Panel title="Active names" className={beside ? '' : 'wide'}>
      {names.length === 0 ? (
        <p className="secondary">
          No active name belongs to this node; a heartbeat does not register one.{' '}
          <Link to={wizardHref({ node: id })}>Register one</Link>
        </p>
      ) : (
        <ul className="name-list">
          {names.map(({ name, kinds }) => (
            <li key={name}>
              <Link to={`/registry/${name}`}>{name}</Link>{' '}
              <span className="secondary">{kinds.join(', ')}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
