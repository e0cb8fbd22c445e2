import { Form, Link } from '@remix-run/react';
import {
  isFiltered,
  JOINED_WITHIN,
  meshHref,
  NO_FILTER,
  SEARCH_MAX,
  type Facets,
  type JoinedWithin,
  type MeshQuery,
} from '#server/mesh/mesh-query.schema.ts';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import { NODE_CLASSES } from '#server/common/values.schema.ts';
import { PEER_STATUSES, type PeerStatus } from '#server/mesh/values.schema.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import { StatusIcon } from '#app/ui/status-icon.tsx';
import { SearchField } from '#app/ui/search-field.tsx';

/** Matches of a search that are offered right below it. */
const OFFERED = 6;

const WITHIN: Record<JoinedWithin, string> = {
  '1h': 'in the last hour',
  '24h': 'in the last 24 hours',
  '7d': 'in the last 7 days',
  '30d': 'in the last 30 days',
};

export interface FiltersProps {
  query: MeshQuery;
  facets: Facets;
  /** Peers that match, and the first of them. */
  matches: number;
  peers: Peer[];
  /** Peers in all. */
  total: number;
  /** Goes to the address with these choices, in the place of the present one. */
  onChange: (patch: Partial<MeshQuery>) => void;
}

/** Search and filters. All of it is in the address; without scripts it is a form and links. */
export function Filters({ query, facets, matches, peers, total, onChange }: FiltersProps) {
  const narrowed = isFiltered(query);
  const to = (patch: Partial<MeshQuery>) => meshHref({ ...query, ...CHOOSE_AGAIN, ...patch });
  const others = {
    view: query.view === 'list' ? 'list' : '',
    status: query.status.join(','),
  };
  return (
    <Form
      method="get"
      action="/"
      role="search"
      className="mesh-filters"
      onSubmit={(event) => event.preventDefault()}
    >
      <SearchField
        name="q"
        label="Find a node by name or id"
        value={query.q}
        maxLength={SEARCH_MAX}
        onSearch={(q) => onChange({ q })}
      />
      {Object.entries(others).map(
        ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
      )}
      {query.q !== '' && matches > 0 && (
        <ul className="offered">
          {peers.slice(0, OFFERED).map((peer) => (
            <li key={peer.id}>
              <Link
                to={meshHref({ ...query, view: 'map', at: null, node: peer.id })}
                state={{ focusCard: true }}
                preventScrollReset
              >
                <StatusIcon status={peer.status} size={peer.class} />
                <span>{peer.label}</span>
                {peer.label !== peer.id && <code>{peer.id}</code>}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <div className="filter-chips">
        <ul className="chips" aria-label="Status">
          <li>
            <Chip to={to({ status: [] })} on={query.status.length === 0}>
              All {count(sum(facets.status))}
            </Chip>
          </li>
          {PEER_STATUSES.map((status) => (
            <li key={status}>
              <Chip
                to={to({ status: toggled(query.status, status) })}
                on={query.status.includes(status)}
              >
                <StatusIcon status={status} />
                {status} {count(facets.status[status])}
              </Chip>
            </li>
          ))}
        </ul>
        <div className="chips">
          <Choices
            name="class"
            label="Class"
            value={query.class}
            options={NODE_CLASSES.map((size) => [size, `${size} (${count(facets.class[size])})`])}
            onChange={(size) => onChange({ class: size })}
          />
          <Choices
            name="region"
            label="Region"
            value={query.region}
            options={regions(facets, query.region).map(([region, n]) => [
              region,
              `${region} (${count(n)})`,
            ])}
            onChange={(region) => onChange({ region })}
          />
          <Choices
            name="joined"
            label="Joined"
            value={query.joined}
            options={(Object.keys(JOINED_WITHIN) as JoinedWithin[]).map((within) => [
              within,
              WITHIN[within],
            ])}
            onChange={(joined) => onChange({ joined })}
          />
          <button className="chip without-scripts">Apply</button>
        </div>
      </div>
      <p className="matches" aria-live="polite">
        {narrowed && (
          <>
            {matches === 0 ? 'No node matches.' : `${count(matches)} of ${nodes(total)} match.`}{' '}
            <Link to={to(NO_FILTER)} replace preventScrollReset>
              Clear
            </Link>
          </>
        )}
      </p>
    </Form>
  );
}

/** Another filter begins at the first page. */
const CHOOSE_AGAIN = { page: 1 } as const;

function Chip({ to, on, children }: { to: string; on: boolean; children: React.ReactNode }) {
  return (
    <Link to={to} replace preventScrollReset className="chip" aria-current={on || undefined}>
      {children}
    </Link>
  );
}

function Choices<T extends string>({
  name,
  label,
  value,
  options,
  onChange,
}: {
  name: string;
  label: string;
  value: T | null;
  options: [T, string][];
  onChange: (value: T | null) => void;
}) {
  return (
    <select
      // The address decides what is chosen, also after the way back.
      key={value}
      name={name}
      defaultValue={value ?? ''}
      aria-label={label}
      className={`chip ${value === null ? '' : 'chosen'}`}
      onChange={({ target }) => onChange(target.value === '' ? null : (target.value as T))}
    >
      <option value="">{label}</option>
      {options.map(([option, words]) => (
        <option key={option} value={option}>
          {name === 'joined' ? `Joined ${words}` : words}
        </option>
      ))}
    </select>
  );
}

const toggled = (chosen: readonly PeerStatus[], status: PeerStatus): PeerStatus[] =>
  PEER_STATUSES.filter((other) => chosen.includes(other) !== (other === status));

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, n) => total + n, 0);

/** By how many nodes are there; the chosen one also where no node is left in it. */
function regions({ region }: Facets, chosen: string | null): [string, number][] {
  const entries = Object.entries(region).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  if (chosen !== null && !(chosen in region)) entries.push([chosen, 0]);
  return entries;
}
