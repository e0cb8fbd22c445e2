import type { ReactNode } from 'react';
import type { PlacesHead, Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import { Term } from '#app/ui/term.tsx';
import { Link } from '#app/ui/link.tsx';
import { LiveRegion } from '#app/ui/live-region.tsx';
import styles from './overview.module.css';
import type { PlaceTotals } from './place-filter.ts';
import { GenesisIcon } from '#app/ui/status-icon.tsx';
import { GenesisHealth } from './node-facts.tsx';
import { FOCUS_CARD } from './use-selection.ts';

interface OverviewProps {
  head: PlacesHead;
  totals: PlaceTotals;
  folded: boolean;
  /** Folds the panel, or unfolds it. */
  onFold: (folded: boolean) => void;
  /** What folds away below the heading. */
  children: ReactNode;
}

/** The network in figures. */
export function Overview({ head, totals, folded, onFold, children }: OverviewProps) {
  return (
    <section aria-labelledby="overview-title">
      <div className={styles.head}>
        <h2 id="overview-title">{nodes(totals.peers)}</h2>
        <p>
          <Term id="phase">Phase {head.phase}</Term>
        </p>
        <button
          type="button"
          className={`${button.icon} ${styles.fold} needs-scripts`}
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
        {children}
        <LiveRegion
          text={`${nodes(totals.peers)}, ${count(totals.online)} online. Genesis is ${head.genesis.status}.`}
        />
      </div>
    </section>
  );
}

/** The bootstrap peer with its health, as a link to its card. */
export function GenesisSummary({ genesis, href }: { genesis: Genesis; href: string }) {
  return (
    <div className={styles.genesis}>
      <GenesisIcon />
      <h3>
        <Link to={href} state={FOCUS_CARD} preventScrollReset>
          {genesis.label}
        </Link>
      </h3>
      <p>
        <GenesisHealth genesis={genesis} />
      </p>
    </div>
  );
}
