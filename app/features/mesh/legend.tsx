import type { ReactNode } from 'react';
import {
  NODE_CLASSES,
  PEER_STATUSES,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';
import { meshHref, type Facets, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { count } from '#app/lib/formatters.ts';
import { Link } from '#app/ui/link.tsx';
import { StatusIcon, statusColor } from '#app/ui/status-icon.tsx';
import styles from './legend.module.css';
import { toggledStatus } from './place-filter.ts';

/** From this many nodes on, the counts are set smaller. */
const LARGE = 20_000;

interface LegendProps {
  facets: Facets;
  query: MeshQuery;
  /** All nodes. */
  total: number;
}

/** What the signs on the map mean, how many nodes have each, and the filter for it: every entry is a toggle. */
export function Legend({ facets, query, total }: LegendProps) {
  const hrefOf = (patch: Partial<MeshQuery>) => meshHref({ ...query, page: 1, ...patch });
  return (
    <div className={styles.legend}>
      <ul className={styles.statuses} aria-label="Status" data-large={total >= LARGE || undefined}>
        {PEER_STATUSES.map((status) => (
          <li key={status}>
            <Toggle
              href={hrefOf({ status: toggledStatus(query.status, status) })}
              on={query.status.includes(status)}
            >
              <span>
                <StatusIcon status={status} />
                {status}
              </span>{' '}
              <b>{count(facets.status[status])}</b>
            </Toggle>
          </li>
        ))}
      </ul>
      <ShareBar counts={facets.status} />
      <ul className={styles.classes} aria-label="Class">
        {NODE_CLASSES.map((size) => (
          <li key={size}>
            <Toggle
              href={hrefOf({ class: query.class === size ? null : size })}
              on={query.class === size}
            >
              <span>
                <StatusIcon status="online" size={size} />
                <span className="visually-hidden">class </span>
                {size}
              </span>{' '}
              <b>{count(facets.class[size])}</b>
            </Toggle>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Toggle({ href, on, children }: { href: string; on: boolean; children: ReactNode }) {
  return (
    <Link to={href} replace preventScrollReset aria-current={on || undefined}>
      {children}
    </Link>
  );
}

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
