import { useLoaderData } from '@remix-run/react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { LivePage } from '#app/features/live/connection-status.tsx';
import { useOffers } from '#app/features/live/use-live.ts';
import { UptimeStrip } from '#app/features/uptime/uptime-strip.tsx';
import { UptimeShare } from '#app/features/uptime/uptime-share.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { CLASS_WORDS, count, counted, regionInWords } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { DownloadIcon } from '#app/ui/icons.tsx';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import { Term } from '#app/ui/term.tsx';
import type { loadComparison } from './compare-page.server.ts';
import styles from './compare-page.module.css';
import { highest, isEqual, offersNow, type Compared, type ComparedBy } from './comparison.ts';
import { COMPARE_MAX, compareString, nameInKey } from './directory-query.ts';

import { useOfferNodes } from './use-offer-nodes.ts';

type Loaded = ReturnType<typeof useLoaderData<typeof loadComparison>>;

/** Up to four compute offers beside each other, as the URL names them. */
export function ComparePage() {
  const loaded = useLoaderData<typeof loadComparison>();
  // Other offers are another page: their changes are followed from their own beginning.
  return <Comparison key={loaded.keys.join()} loaded={loaded} />;
}

function Comparison({ loaded }: { loaded: Loaded }) {
  const { head, origin, strips } = loaded;
  const [keys] = useState(loaded.keys);
  const { rows, connection } = useOffers(loaded, keys);
  const offers = useOffersNow(keys, loaded.offers, rows);
  const { nodeOf } = useOfferNodes(loaded.nodes);
  const columns = offers.map((offer) => offer && { offer, node: nodeOf(offer.nodeId) });
  const query = compareString(keys);
  return (
    <LivePage
      connection={connection}
      updatedAt={head.updatedAt}
      above={
        <p className={styles.back}>
          <Link to={hrefs.computes(query)}>
            <svg viewBox="0 0 20 20" width="14" height="14" aria-hidden>
              <path d="M12 5l-5 5 5 5" fill="none" stroke="currentColor" strokeWidth="1.5" />
            </svg>
            Compute directory
          </Link>
        </p>
      }
      title={keys.length === 0 ? 'Compare offers' : `Compare ${counted(keys.length, 'offer')}`}
      intro={<span className={styles.intro}>Equal values are gray.</span>}
      actions={
        keys.length > 0 && (
          <>
            <CopyButton text={`${origin}${hrefs.compare(query)}`} label="Copy link" />
            <a className={button.button} href={hrefs.computesCsv(query)} download>
              <DownloadIcon />
              CSV
            </a>
          </>
        )
      }
    >
      {keys.length > 0 && (
        <Scroller keys={keys}>
          <Columns keys={keys} columns={columns} strips={strips} />
        </Scroller>
      )}
      <p className={styles.more}>
        {keys.length < COMPARE_MAX && (
          <>
            {MORE[keys.length]} from the <Link to={hrefs.computes(query)}>directory</Link>.
          </>
        )}
      </p>
    </LivePage>
  );
}

const MORE = ['Choose up to four offers', 'Add a second', 'Add a third', 'Add a fourth'];

/** The offers of now; one that went away stays as it was, offline. */
function useOffersNow(
  keys: readonly string[],
  loaded: readonly (Compute | null)[],
  rows: readonly Compute[] | null,
): readonly (Compute | null)[] {
  const [shown, setShown] = useState({ rows, offers: loaded });
  if (shown.rows === rows) return shown.offers;
  const offers = offersNow(keys, shown.offers, rows);
  setShown({ rows, offers });
  return offers;
}

/**
 * Scrolls sideways on a phone. Nothing in it can then stay at the top of the window, so the names that have left it are shown
 * again there, level with their columns.
 */
function Scroller({ keys, children }: { keys: readonly string[]; children: ReactNode }) {
  const names = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLDivElement>(null);
  const [headGone, setHeadGone] = useState(false);
  useEffect(() => {
    const head = table.current?.querySelector('thead');
    if (!head) return;
    const observer = new IntersectionObserver(([entry]) =>
      setHeadGone(entry !== undefined && !entry.isIntersecting && entry.boundingClientRect.top < 0),
    );
    observer.observe(head);
    return () => observer.disconnect();
  }, []);
  return (
    <>
      <div className={styles.names} data-shown={headGone || undefined} aria-hidden>
        <div ref={names}>
          {keys.map((key) => (
            <span key={key}>{nameInKey(key)}</span>
          ))}
        </div>
      </div>
      <div
        ref={table}
        className={styles.scroller}
        role="region"
        aria-label="Compared offers"
        tabIndex={0}
        onScroll={({ currentTarget }) => {
          if (names.current) names.current.scrollLeft = currentTarget.scrollLeft;
        }}
      >
        {children}
      </div>
    </>
  );
}

interface ColumnsProps {
  keys: readonly string[];
  columns: readonly (Compared | null)[];
  strips: Loaded['strips'];
}

function Columns({ keys, columns, strips }: ColumnsProps) {
  const known = columns.filter((column) => column !== null);
  const rows = useMemo(() => rowsWith(strips), [strips]);
  return (
    <table className={styles.table} data-columns={keys.length}>
      <caption className="visually-hidden">Compute offers beside each other</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Property</span>
          </th>
          {keys.map((key, at) => (
            <th key={key} scope="col">
              <span className={styles.name}>
                {columns[at] ? (
                  <Link to={hrefs.name(columns[at].offer.name)}>{columns[at].offer.name}</Link>
                ) : (
                  nameInKey(key)
                )}
              </span>
              <Link
                className={styles.remove}
                to={hrefs.compare(compareString(keys.filter((other) => other !== key)))}
                replace
                preventScrollReset
              >
                Remove<span className="visually-hidden"> {nameInKey(key)}</span>
              </Link>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ by, head, cell }) => {
          const best = highest(by, columns);
          return (
            <tr key={by} className={isEqual(by, known) ? styles.equal : undefined}>
              <th scope="row">{head}</th>
              {columns.map((column, at) => (
                <td key={keys[at]} className={best === at ? styles.best : undefined}>
                  {column ? cell(column) : by === 'state' ? 'not listed' : '–'}
                  {best === at && <span className={styles.highest}>highest</span>}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface ComparedRow {
  by: ComparedBy;
  head: ReactNode;
  cell: (column: Compared) => ReactNode;
}

const rowsWith = (strips: Loaded['strips']): ComparedRow[] => [
  {
    by: 'free',
    head: <Term id="slot">Free slots</Term>,
    cell: ({ offer }) => count(offer.status === 'available' ? offer.freeSlots : 0),
  },
  {
    by: 'replicas',
    head: <Term id="replica">Replicas</Term>,
    cell: ({ offer }) => count(offer.replicas),
  },
  {
    by: 'uptime',
    head: 'Uptime, 30 days',
    cell: ({ offer, node }) => {
      const strip = strips[offer.nodeId];
      return (
        <span className={styles.uptime}>
          <UptimeShare share={node.uptime} />
          {strip && (
            <span className={styles.days}>
              <UptimeStrip offline={strip.offline} place="row" />
            </span>
          )}
        </span>
      );
    },
  },
  { by: 'state', head: 'State', cell: ({ offer }) => <Status status={offer.status} /> },
  { by: 'image', head: 'Image', cell: ({ offer }) => <code>{offer.image || '–'}</code> },
  {
    by: 'node',
    head: <Term id="node">Node</Term>,
    cell: ({ offer }) => (
      <Link className={styles.node} to={hrefs.node(offer.nodeId)}>
        {offer.label}
      </Link>
    ),
  },
  {
    by: 'region',
    head: <Term id="region">Region</Term>,
    cell: ({ node }) => <span suppressHydrationWarning>{regionInWords(node.region)}</span>,
  },
  {
    by: 'class',
    head: <Term id="class">Class</Term>,
    cell: ({ offer }) => CLASS_WORDS[offer.class],
  },
  { by: 'backend', head: <Term id="backend">Backend</Term>, cell: ({ offer }) => offer.backend },
  {
    by: 'visibility',
    head: 'Visibility',
    cell: ({ offer }) => <Term id={offer.visibility}>{offer.visibility}</Term>,
  },
  {
    by: 'announced',
    head: 'Announced',
    cell: ({ offer }) => <RelativeTime at={offer.lastSeen} />,
  },
];
