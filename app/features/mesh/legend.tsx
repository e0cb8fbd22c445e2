import type { ReactNode } from 'react';
import { NODE_CLASSES, PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { meshHref, type Facets, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { count } from '#app/lib/formatters.ts';
import { Link } from '#app/ui/link.tsx';
import { StateBar } from '#app/ui/state-bar.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { RADIUS } from '#app/ui/status-shapes.ts';
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
                <StateGlyph state={status} />
                {status}
              </span>{' '}
              <b>{count(facets.status[status])}</b>
            </Toggle>
          </li>
        ))}
      </ul>
      <div className={styles.shares}>
        <StateBar
          counts={PEER_STATUSES.map((status) => [status, facets.status[status]] as const)}
        />
      </div>
      <ul className={styles.classes} aria-label="Class">
        {NODE_CLASSES.map((size) => (
          <li key={size}>
            <Toggle
              href={hrefOf({ class: query.class === size ? null : size })}
              on={query.class === size}
            >
              <span>
                <StateGlyph state="online" size={2 * RADIUS[size] + 2} />
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
