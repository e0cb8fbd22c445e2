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
import { count, nodes } from '#app/lib/formatters.ts';
import { byCount, regionText } from '#app/lib/regions.ts';
import chips from '#app/ui/chips.module.css';
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
  /** How many nodes match. */
  matches: number;
  /** The first of them. `settled`: of this filter, not of the one before. */
  found: { peers: Peer[]; total: number; settled: boolean };
  /** All nodes. */
  total: number;
  /** Changes the filter in the URL. */
  onChange: (patch: Partial<MeshQuery>) => void;
  /** Opens a node on the map. */
  onOpen: (node: string) => void;
}

/** Search and filters. They are in the URL; without scripts they are a form and links. */
export function Filters(props: FiltersProps) {
  const { query, facets, matches, found, total, onChange, onOpen } = props;
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
      <NodeSearch query={query} found={found} onSearch={(q) => onChange({ q })} onOpen={onOpen} />
      {Object.entries(hidden).map(
        ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
      )}
      <div className={styles.choices}>
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

/** The regions with most nodes first; the chosen one even if no node is left in it. */
function regionsOf({ region }: Facets, chosen: string | null): [string, number][] {
  const regions = byCount(region);
  if (chosen !== null && !(chosen in region)) regions.push([chosen, 0]);
  return regions;
}
