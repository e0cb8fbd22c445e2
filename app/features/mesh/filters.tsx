import { Form, Link } from '@remix-run/react';
import {
  isFiltered,
  JOINED_WITHIN,
  meshHref,
  NO_FILTER,
  type Facets,
  type JoinedWithin,
  type MeshQuery,
} from '#server/mesh/mesh-query.schema.ts';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import { NODE_CLASSES } from '#server/common/values.schema.ts';
import { PEER_STATUSES, type PeerStatus } from '#server/mesh/values.schema.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import { byCount, regionText } from '#app/lib/regions.ts';
import chips from '#app/ui/chips.module.css';
import { StatusIcon } from '#app/ui/status-icon.tsx';
import { FilterSelect } from './filter-select.tsx';
import styles from './filters.module.css';
import { NodeSearch } from './node-search.tsx';

const JOINED_TEXT: Record<JoinedWithin, string> = {
  '1h': 'Joined in the last hour',
  '24h': 'Joined in the last 24 hours',
  '7d': 'Joined in the last 7 days',
  '30d': 'Joined in the last 30 days',
};

export interface FiltersProps {
  query: MeshQuery;
  facets: Facets;
  /** How many nodes match, and the first page of them. */
  matches: number;
  peers: Peer[];
  /** All nodes. */
  total: number;
  /** Changes the filter in the URL. */
  onChange: (patch: Partial<MeshQuery>) => void;
  /** Opens a node on the map. */
  onOpen: (node: string) => void;
}

/** Search and filters. They are in the URL; without scripts they are a form and links. */
export function Filters(props: FiltersProps) {
  const { query, facets, matches, peers, total, onChange, onOpen } = props;
  const hrefOf = (patch: Partial<MeshQuery>) => meshHref({ ...query, page: 1, ...patch });
  /** What the form sends beside its own fields. */
  const hidden = {
    view: query.view === 'list' ? 'list' : '',
    status: query.status.join(','),
  };
  return (
    <Form
      method="get"
      action="/"
      role="search"
      className={styles.filters}
      onSubmit={(event) => event.preventDefault()}
    >
      <NodeSearch
        query={query}
        matches={matches}
        peers={peers}
        onSearch={(q) => onChange({ q })}
        onOpen={onOpen}
      />
      {Object.entries(hidden).map(
        ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
      )}
      <div className={styles.choices}>
        <ul className={chips.chips} aria-label="Status">
          <li>
            <StatusChip to={hrefOf({ status: [] })} chosen={query.status.length === 0}>
              All {count(sum(facets.status))}
            </StatusChip>
          </li>
          {PEER_STATUSES.map((status) => (
            <li key={status}>
              <StatusChip
                to={hrefOf({ status: toggled(query.status, status) })}
                chosen={query.status.includes(status)}
              >
                <StatusIcon status={status} />
                {status} {count(facets.status[status])}
              </StatusChip>
            </li>
          ))}
        </ul>
        <div className={chips.chips}>
          <FilterSelect
            name="class"
            label="Class"
            value={query.class}
            options={NODE_CLASSES.map((size) => [size, `${size} (${count(facets.class[size])})`])}
            onChange={(size) => onChange({ class: size })}
          />
          <FilterSelect
            name="region"
            label="Region"
            value={query.region}
            options={regionsOf(facets, query.region).map(([region, n]) => [
              region,
              `${regionText(region)}: ${count(n)}`,
            ])}
            onChange={(region) => onChange({ region })}
          />
          <FilterSelect
            name="joined"
            label="Joined"
            value={query.joined}
            options={(Object.keys(JOINED_WITHIN) as JoinedWithin[]).map((within) => [
              within,
              JOINED_TEXT[within],
            ])}
            onChange={(joined) => onChange({ joined })}
          />
          <button className={`${chips.chip} without-scripts`}>Apply</button>
        </div>
      </div>
      <p className={styles.matches} aria-live="polite">
        {isFiltered(query) && (
          <>
            {matches === 0 ? 'No matching nodes.' : `${count(matches)} of ${nodes(total)}.`}{' '}
            <Link to={hrefOf(NO_FILTER)} replace preventScrollReset>
              Clear filters
            </Link>
          </>
        )}
      </p>
    </Form>
  );
}

interface StatusChipProps {
  to: string;
  chosen: boolean;
  children: React.ReactNode;
}

function StatusChip({ to, chosen, children }: StatusChipProps) {
  return (
    <Link
      to={to}
      replace
      preventScrollReset
      className={chips.chip}
      aria-current={chosen || undefined}
    >
      {children}
    </Link>
  );
}

const toggled = (chosen: readonly PeerStatus[], status: PeerStatus): PeerStatus[] =>
  PEER_STATUSES.filter((other) => chosen.includes(other) !== (other === status));

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, n) => total + n, 0);

/** The regions with most nodes first; the chosen one even if no node is left in it. */
function regionsOf({ region }: Facets, chosen: string | null): [string, number][] {
  const regions = byCount(region);
  if (chosen !== null && !(chosen in region)) regions.push([chosen, 0]);
  return regions;
}
