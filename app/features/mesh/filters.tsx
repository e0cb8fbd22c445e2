import { Form } from '@remix-run/react';
import { orderText } from '#server/common/list-url.schema.ts';
import {
  isAsJoined,
  JOINED_WITHIN,
  type Facets,
  type JoinedWithin,
  type MeshQuery,
} from '#server/mesh/mesh-query.schema.ts';
import { count, regionText } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import chips from '#app/ui/chips.module.css';
import { SelectChip } from '#app/ui/filter-bar.tsx';
import styles from './filters.module.css';
import { regionChoices } from './place-filter.ts';

const JOINED_TEXT: Record<JoinedWithin, string> = {
  '1h': 'in the last hour',
  '24h': 'in the last 24 hours',
  '7d': 'in the last 7 days',
  '30d': 'in the last 30 days',
};

export interface FiltersProps {
  query: MeshQuery;
  facets: Facets;
  /** Changes the filter in the URL. */
  onChange: (patch: Partial<MeshQuery>) => void;
}

/** The filters that are chosen from a list. They are in the URL; without scripts they are a form. */
export function Filters({ query, facets, onChange }: FiltersProps) {
  return (
    <Form
      method="get"
      discover="none"
      action={hrefs.map()}
      className={styles.choices}
      onSubmit={(event) => event.preventDefault()}
    >
      <SelectChip
        className={styles.select}
        name="region"
        label="Region"
        none="Region: all"
        value={query.region}
        options={regionChoices(facets, query.region).map(([region, n]) => [
          region,
          `${regionText(region)}: ${count(n)}`,
        ])}
        onChange={(region) => onChange({ region })}
      />
      <SelectChip
        className={styles.select}
        name="joined"
        label="Joined"
        none="Joined: any day"
        value={query.joined}
        options={(Object.keys(JOINED_WITHIN) as JoinedWithin[]).map((within) => [
          within,
          `Joined ${JOINED_TEXT[within]}`,
        ])}
        onChange={(joined) => onChange({ joined })}
      />
      {Object.entries(keptBesides(query)).map(
        ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
      )}
      <button className={`${chips.chip} without-scripts`}>Apply</button>
    </Form>
  );
}

/** The other choices in the URL, which a form without scripts sends along. */
export const keptBesides = (query: MeshQuery) => ({
  view: query.view === 'map' ? '' : query.view,
  q: query.q,
  status: query.status.join(','),
  class: query.class.join(','),
  sort: isAsJoined(query) ? '' : orderText(query),
});
