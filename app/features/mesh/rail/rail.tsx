import { useId } from 'react';
import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Spark } from '#app/ui/spark.tsx';
import { StateBar } from '#app/ui/state-bar.tsx';
import { PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { GenesisIcon } from '#app/ui/status-icon.tsx';
import { Term } from '#app/ui/term.tsx';
import {
  isFiltered,
  meshHref,
  NO_FILTER,
  type Facets,
  type MeshQuery,
} from '#server/mesh/mesh-query.schema.ts';
import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { embedDocsHref } from '../embed/embed-query.ts';
import { Filters } from '../filters.tsx';
import { JustJoined } from '../just-joined.tsx';
import { LifeInSheet, type LifeLineProps } from '../life/life-line.tsx';
import { ClassChoices, StatusChoices } from '../legend.tsx';
import type { PlaceTotals } from '../place-filter.ts';
import type { Joined } from '../use-mesh-list.ts';
import { FOCUS_CARD, nodeOnMap } from '../use-selection.ts';
import { FoldedRail } from './folded-rail.tsx';
import { checksAtEnd, type Latencies } from './genesis-checks.ts';
import styles from './rail.module.css';

export interface RailProps {
  query: MeshQuery;
  head: PlacesHead;
  store: MeshStore;
  /** Of the whole network. */
  totals: PlaceTotals;
  facets: Facets;
  /** How many nodes match the filter. */
  matches: number;
  /** The newest nodes as the server knew them. */
  newest: Joined[];
  /** The last checks of Genesis. */
  checks: Latencies;
  /** Heartbeats, who joined and the last 90 days: in the sheet of a phone, which has no line below its map. */
  life: LifeLineProps;
  /** Changes the filter in the URL. */
  onFilter: (patch: Partial<MeshQuery>) => void;
  /** Folds the rail, or unfolds it. */
  onFold: (folded: boolean) => void;
}

/** Beside the map: the network in figures, which are its legend and its filter at once. */
export function Rail(props: RailProps) {
  const { query, head, store, totals, facets, matches, newest, checks, life, onFilter, onFold } =
    props;
  return (
    <>
      {query.folded && (
        <FoldedRail
          query={query}
          facets={facets}
          total={totals.peers}
          onUnfold={() => onFold(false)}
        />
      )}
      <section
        className={styles.rail}
        aria-labelledby="overview-title"
        data-folded={query.folded || undefined}
      >
        <div className={styles.total} data-sheet-head>
          <Count query={query} matches={matches} total={totals.peers} />
          {!isFiltered(query) && (
            <p className={styles.phase}>
              <Term id="phase">
                Phase {head.phase}
                <svg viewBox="0 0 20 20" width="14" height="14" aria-hidden>
                  <path
                    d="M10 3a7 7 0 1 1 0 14a7 7 0 1 1 0 -14M10 9.2v4.4M10 6.3v.3"
                    fill="none"
                    stroke="currentColor"
                    strokeWidth="1.5"
                    strokeLinecap="round"
                  />
                </svg>
              </Term>
            </p>
          )}
        </div>
        <div className={styles.states}>
          <StateBar
            counts={PEER_STATUSES.map((status) => [status, facets.status[status]] as const)}
          />
          <StatusChoices query={query} facets={facets} />
        </div>
        {totals.peers > 0 && (
          <div className={styles.part}>
            <ClassChoices query={query} facets={facets} />
            <Filters query={query} facets={facets} onChange={onFilter} />
          </div>
        )}
        <GenesisRow
          genesis={head.genesis}
          checks={checks}
          href={nodeOnMap(query, head.genesis.id)}
        />
        <LifeInSheet {...life} />
        <JustJoined store={store} newest={newest} query={query} />
        <div className={styles.foot}>
          <Link to={hrefs.docs.operators()}>Run a node</Link>
          <Link to={embedDocsHref(query)}>Embed this map</Link>
          <button
            type="button"
            className={`${styles.fold} needs-scripts`}
            aria-expanded
            onClick={() => onFold(true)}
          >
            Collapse
            <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden>
              <path d="M12 5l-5 5l5 5" fill="none" stroke="currentColor" strokeWidth="1.5" />
            </svg>
          </button>
        </div>
      </section>
    </>
  );
}

/** How many nodes there are; with a filter how many of them match, and the way back to all. */
function Count({ query, matches, total }: { query: MeshQuery; matches: number; total: number }) {
  if (!isFiltered(query)) return <h2 id="overview-title">{nodes(total)}</h2>;
  return (
    <>
      <h2 id="overview-title">
        {count(matches)} of {count(total)}
        <span className="visually-hidden"> {total === 1 ? 'node' : 'nodes'}</span>
      </h2>
      <Link to={meshHref({ ...query, page: 1, ...NO_FILTER })} replace preventScrollReset>
        Clear filters
      </Link>
    </>
  );
}

/** From so many checks on they are a line: those of a minute. */
const FEW_CHECKS = 6;

/** The bootstrap peer with its health. Its name links to what is known about it. */
function GenesisRow({
  genesis,
  checks,
  href,
}: {
  genesis: Genesis;
  checks: Latencies;
  href: string;
}) {
  const title = useId();
  return (
    <section className={`${styles.part} ${styles.genesis}`} aria-labelledby={title}>
      <GenesisIcon />
      <div>
        <h3 id={title}>
          <Link to={href} state={FOCUS_CARD} preventScrollReset>
            {genesis.label}
          </Link>
        </h3>
        <p>Bootstrap peer: new nodes join through it</p>
      </div>
      <div className={styles.health}>
        {checks.length >= FEW_CHECKS && <Spark values={checksAtEnd(checks)} height={22} fromZero />}
        <p>{healthOf(genesis)}</p>
      </div>
    </section>
  );
}

/** In short; its card says when it was checked. */
function healthOf({ status, latencyMs, lastSeen }: Genesis) {
  if (status === 'unknown') return 'not checked';
  if (status === 'online') return latencyMs === null ? 'online' : `online · ${latencyMs} ms`;
  if (lastSeen === null) return 'offline · never seen';
  return (
    <>
      offline · last seen <RelativeTime at={lastSeen} />
    </>
  );
}
