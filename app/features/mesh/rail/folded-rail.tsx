import { PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import { Link } from '#app/ui/link.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { meshHref, type Facets, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { toggledStatus } from '../place-filter.ts';
import styles from './rail.module.css';

interface FoldedRailProps {
  query: MeshQuery;
  facets: Facets;
  /** All nodes. */
  total: number;
  onUnfold: () => void;
}

/** The rail at its narrowest: the signs of the map with their counts, which filter as well. */
export const FoldedRail = ({ query, facets, total, onUnfold }: FoldedRailProps) => (
  <section className={styles.folded} aria-label={nodes(total)}>
    <button
      type="button"
      className="needs-scripts"
      aria-label="Expand"
      aria-expanded={false}
      onClick={onUnfold}
    >
      <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden>
        <path d="M8 5l5 5l-5 5" fill="none" stroke="currentColor" strokeWidth="1.5" />
      </svg>
    </button>
    <ul aria-label="Status">
      {PEER_STATUSES.map((status) => (
        <li key={status}>
          <Link
            to={meshHref({ ...query, page: 1, status: toggledStatus(query.status, status) })}
            replace
            preventScrollReset
            aria-current={query.status.includes(status) || undefined}
          >
            <StateGlyph state={status} size={14} />
            <span className="visually-hidden">{status} </span>
            {count(facets.status[status])}
          </Link>
        </li>
      ))}
    </ul>
  </section>
);
