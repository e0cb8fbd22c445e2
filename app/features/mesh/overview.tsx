import { Link } from '@remix-run/react';
import { meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import type { MeshHead, MeshStats } from '#server/mesh/mesh.schema.ts';
import { PEER_STATUSES } from '#server/mesh/values.schema.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import { LiveRegion } from '#app/ui/live-region.tsx';
import { GenesisIcon, StatusIcon, statusColor } from '#app/ui/status-icon.tsx';
import { GenesisHealth } from './genesis-health.tsx';
import styles from './overview.module.css';
import { FOCUS_CARD } from './use-selection.ts';

/** The network in figures: nodes by status, Genesis, the phase. */
export function Overview({ head, query }: { head: MeshHead; query: MeshQuery }) {
  const { stats, genesis, phase } = head;
  return (
    <section className={styles.overview} aria-labelledby="overview-title">
      <div className={styles.head}>
        <h2 id="overview-title">{nodes(stats.peers)}</h2>
        <p>Phase {phase}</p>
      </div>
      <dl className={styles.counts}>
        {PEER_STATUSES.map((status) => (
          <div key={status}>
            <dt>
              <StatusIcon status={status} />
              {status}
            </dt>
            <dd>{count(stats[status])}</dd>
          </div>
        ))}
      </dl>
      <LiveRegion
        text={`${nodes(stats.peers)}, ${count(stats.online)} online. Genesis is ${genesis.status}.`}
      />
      <ShareBar stats={stats} />
      <div className={styles.genesis}>
        <GenesisIcon />
        <h3>
          <Link
            to={meshHref({ ...query, view: 'map', node: genesis.id, at: null })}
            state={FOCUS_CARD}
            preventScrollReset
          >
            {genesis.label}
          </Link>
        </h3>
        <p>
          <GenesisHealth genesis={genesis} />
        </p>
      </div>
    </section>
  );
}

/** A gap between two parts, and the least width of a part, per cent of the bar. */
const GAP = 0.6;
const MIN_WIDTH = 0.3;

/** The counts as shares of one bar. An SVG, because the page's policy forbids inline styles. */
function ShareBar({ stats }: { stats: MeshStats }) {
  const parts = PEER_STATUSES.filter((status) => stats[status] > 0).map((status, index, all) => ({
    status,
    x: all.slice(0, index).reduce((sum, other) => sum + share(stats, other), 0),
    width: Math.max(share(stats, status) - GAP, MIN_WIDTH),
  }));
  return (
    <svg className={styles.shares} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden>
      {parts.map(({ status, ...part }) => (
        <rect
          key={status}
          className={statusColor(status)}
          {...part}
          height="6"
          fill="currentColor"
        />
      ))}
    </svg>
  );
}

const share = (stats: MeshStats, status: (typeof PEER_STATUSES)[number]) =>
  (stats[status] / stats.peers) * 100;
