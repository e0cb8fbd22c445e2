import { Link } from '@remix-run/react';
import { meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import type { Genesis, MeshHead, MeshStats, Peer } from '#server/mesh/mesh.schema.ts';
import { PEER_STATUSES } from '#server/mesh/values.schema.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import { LiveRegion } from '#app/ui/live-region.tsx';
import { GenesisIcon, StatusIcon } from '#app/ui/status-icon.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';

/** The network in short: counts that add up, Genesis, phase. */
export function Overview({ head, query }: { head: MeshHead; query: MeshQuery }) {
  return (
    <section className="overview" aria-labelledby="overview-title">
      <div className="overview-head">
        <h2 id="overview-title">{nodes(head.stats.peers)}</h2>
        <p>Phase {head.phase}</p>
      </div>
      <dl className="counts">
        {PEER_STATUSES.map((status) => (
          <div key={status}>
            <dt>
              <StatusIcon status={status} />
              {status}
            </dt>
            <dd>{count(head.stats[status])}</dd>
          </div>
        ))}
      </dl>
      <LiveRegion
        text={`${nodes(head.stats.peers)}, ${count(head.stats.online)} online. Genesis is ${head.genesis.status}.`}
      />
      <ShareBar stats={head.stats} />
      <GenesisLine
        genesis={head.genesis}
        to={meshHref({ ...query, view: 'map', node: head.genesis.id, at: null })}
      />
    </section>
  );
}

/** Regions that are named in the panel; the filter has them all. */
const REGIONS = 8;

/** Where the nodes are, and who came last. */
export function Details({
  head,
  newest,
  query,
}: {
  head: MeshHead;
  newest: Peer[];
  query: MeshQuery;
}) {
  const regions = Object.entries(head.stats.byRegion).sort(
    ([a, n], [b, m]) => m - n || (a < b ? -1 : 1),
  );
  if (head.stats.peers === 0) return null;
  return (
    <details className="panel-more">
      <summary>Regions and newest nodes</summary>
      <section className="panel-part" aria-labelledby="regions-title">
        <h3 id="regions-title">Regions</h3>
        <ul className="regions">
          {regions.slice(0, REGIONS).map(([region, n]) => (
            <li key={region}>
              <Link
                to={meshHref({ ...query, region, page: 1 })}
                preventScrollReset
                aria-current={query.region === region || undefined}
              >
                <span>{region}</span> {count(n)}
              </Link>
            </li>
          ))}
        </ul>
        {regions.length > REGIONS && (
          <p className="secondary">And {count(regions.length - REGIONS)} more in the filter.</p>
        )}
      </section>
      <section className="panel-part" aria-labelledby="newest-title">
        <h3 id="newest-title">Joined last</h3>
        <ul className="newest">
          {newest.map((peer) => (
            <li key={peer.id}>
              <Link
                to={meshHref({ ...query, view: 'map', node: peer.id, at: null })}
                state={{ focusCard: true }}
                preventScrollReset
              >
                {peer.label}
              </Link>
              <RelativeTime at={peer.joinedAt} />
            </li>
          ))}
        </ul>
      </section>
    </details>
  );
}

/** The counts as shares of one bar. An SVG, because the page's policy forbids styles in the markup. */
function ShareBar({ stats }: { stats: MeshStats }) {
  let x = 0;
  const parts = PEER_STATUSES.flatMap((status) => {
    const width = stats.peers === 0 ? 0 : (stats[status] / stats.peers) * 100;
    const part = { status, x, width };
    x += width;
    return width > 0 ? [part] : [];
  });
  return (
    <svg className="share-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden>
      {parts.map(({ status, x, width }) => (
        <rect
          key={status}
          className={status}
          x={x}
          // A gap between the parts, if there is room for one.
          width={Math.max(width - 0.6, 0.3)}
          height="6"
          fill="currentColor"
        />
      ))}
    </svg>
  );
}

function GenesisLine({ genesis, to }: { genesis: Genesis; to: string }) {
  return (
    <div className="genesis-line">
      <GenesisIcon />
      <h3>
        <Link to={to} state={{ focusCard: true }} preventScrollReset>
          {genesis.label}
        </Link>
      </h3>
      <p>
        <GenesisHealth genesis={genesis} />
      </p>
    </div>
  );
}

/** The bootstrap peer's health: from a check of our own, not from heartbeats. */
export function GenesisHealth({ genesis }: { genesis: Genesis }) {
  const { status, latencyMs, lastSeen, checkedAt } = genesis;
  if (status === 'online')
    return (
      <>
        online{latencyMs === null ? '' : ` · ${latencyMs} ms`}
        {checkedAt && (
          <>
            {' · checked '}
            <RelativeTime at={checkedAt} />
          </>
        )}
      </>
    );
  if (status === 'unknown') return <>not checked</>;
  return (
    <>
      offline
      {lastSeen ? (
        <>
          {' · seen '}
          <RelativeTime at={lastSeen} />
        </>
      ) : (
        ' · never seen'
      )}
    </>
  );
}
