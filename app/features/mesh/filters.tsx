import { Link } from '#app/ui/link.tsx';
import {
  isFiltered,
  JOINED_WITHIN,
  meshHref,
  NO_FILTER,
  type Facets,
  type JoinedWithin,
  type MeshQuery,
} from '#server/mesh/mesh-query.schema.ts';
import { count, nodes, regionText } from '#app/lib/formatters.ts';
import chips from '#app/ui/chips.module.css';
import { SelectChip } from '#app/ui/filter-bar.tsx';
import styles from './filters.module.css';
import { FILTER_FORM } from './node-search.tsx';
import { regionChoices } from './place-filter.ts';

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
  /** All nodes. */
  total: number;
  /** Changes the filter in the URL. */
  onChange: (patch: Partial<MeshQuery>) => void;
}

/** The filters beside the legend. They are in the URL; without scripts they are a form and links. */
export function Filters({ query, facets, matches, total, onChange }: FiltersProps) {
  const hrefOf = (patch: Partial<MeshQuery>) => meshHref({ ...query, page: 1, ...patch });
  return (
    <div className={styles.filters}>
      <div className={styles.choices}>
        <SelectChip
          form={FILTER_FORM}
          className={styles.select}
          name="region"
          label="Region"
          value={query.region}
          options={regionChoices(facets, query.region).map(([region, n]) => [
            region,
            `${regionText(region)}: ${count(n)}`,
          ])}
          onChange={(region) => onChange({ region })}
        />
        <SelectChip
          form={FILTER_FORM}
          className={styles.select}
          name="joined"
          label="Joined"
          value={query.joined}
          options={(Object.keys(JOINED_WITHIN) as JoinedWithin[]).map((within) => [
            within,
            JOINED_TEXT[within],
          ])}
          onChange={(joined) => onChange({ joined })}
        />
        <button form={FILTER_FORM} className={`${chips.chip} without-scripts`}>
          Apply
        </button>
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
    </div>
  );
}
