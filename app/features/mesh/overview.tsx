import { Link } from '@remix-run/react';
import { meshHref, type Facets, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import type { PlacesHead } from '#server/mesh/mesh.schema.ts';
import { PEER_STATUSES, type PeerStatus } from '#server/mesh/values.schema.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import { LiveRegion } from '#app/ui/live-region.tsx';
import { StatusIcon, statusColor } from '#app/ui/status-icon.tsx';
import styles from './overview.module.css';
import type { PlaceTotals } from './place-filter.ts';

/** From this many nodes on, the counts are set smaller. */
const LARGE = 20_000;

export interface OverviewProps {
  head: PlacesHead;
  totals: PlaceTotals;
  facets: Facets;
  query: MeshQuery;
  /** Folds the panel, or unfolds it. */
  onFold: (folded: boolean) => void;
}

/** The network in figures. Each count by status is the filter for it. */
export function Overview({ head, totals, facets, query, onFold }: OverviewProps) {
  const { folded } = query;
  return (
    <section className={styles.overview} aria-labelledby="overview-title">
      <div className={styles.head}>
        <h2 id="overview-title">{nodes(totals.peers)}</h2>
        <p>Phase {head.phase}</p>
        <button
          type="button"
          className={`${styles.fold} needs-scripts`}
          aria-expanded={!folded}
          aria-label={folded ? 'Show panel' : 'Fold panel'}
          onClick={() => onFold(!folded)}
        >
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden>
            <path d="M3 10l5-5 5 5" fill="none" stroke="currentColor" strokeWidth="1.75" />
          </svg>
        </button>
      </div>
      <div data-foldable>
        <ul
          className={styles.counts}
          aria-label="Status"
          data-large={totals.peers >= LARGE || undefined}
        >
          {PEER_STATUSES.map((status) => (
            <li key={status}>
              <Link
                to={meshHref({ ...query, page: 1, status: toggled(query.status, status) })}
                replace
                preventScrollReset
                aria-current={query.status.includes(status) || undefined}
              >
                <span>
                  <StatusIcon status={status} />
                  {status}
                </span>{' '}
                <b>{count(facets.status[status])}</b>
              </Link>
            </li>
          ))}
        </ul>
        <LiveRegion
          text={`${nodes(totals.peers)}, ${count(totals.online)} online. Genesis is ${head.genesis.status}.`}
        />
        <ShareBar counts={facets.status} />
      </div>
    </section>
  );
}

const toggled = (chosen: readonly PeerStatus[], status: PeerStatus): PeerStatus[] =>
  PEER_STATUSES.filter((other) => chosen.includes(other) !== (other === status));

/** A gap between two parts, and the least width of a part, per cent of the bar. */
const GAP = 0.6;
const MIN_WIDTH = 0.3;

/** The counts as shares of one bar. An SVG, because the page's policy forbids inline styles. */
function ShareBar({ counts }: { counts: Record<PeerStatus, number> }) {
  const total = PEER_STATUSES.reduce((sum, status) => sum + counts[status], 0);
  const share = (status: PeerStatus) => (counts[status] / total) * 100;
  const parts = PEER_STATUSES.filter((status) => counts[status] > 0).map((status, index, all) => ({
    status,
    x: all.slice(0, index).reduce((sum, other) => sum + share(other), 0),
    width: Math.max(share(status) - GAP, MIN_WIDTH),
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
