import { Link } from '@remix-run/react';
import { memo } from 'react';
import type { Compute } from '#server/computes/computes.schema.ts';
import { queryString, sortedBy, type DirectoryQuery, type SortKey } from './query.ts';
import { ComputeRow } from './compute-row.tsx';
import { useVirtualRows } from './use-virtual-rows.ts';

export interface ComputeTableProps {
  /** All rows of the list, or where it is not virtual those of one page. */
  rows: Compute[];
  /** The place in the list of the first of `rows`, from 0. */
  first: number;
  /** Rows in the list. */
  total: number;
  query: DirectoryQuery;
  /** Renders only the rows in sight; needs scripts. */
  virtual: boolean;
}

const COLUMNS: { key: SortKey; name: string }[] = [
  { key: 'name', name: 'Name' },
  { key: 'node', name: 'Node' },
  { key: 'image', name: 'Image' },
  { key: 'class', name: 'Class' },
  { key: 'backend', name: 'Backend' },
  { key: 'visibility', name: 'Visibility' },
  { key: 'free', name: 'Free of replicas' },
  { key: 'status', name: 'Status' },
  { key: 'seen', name: 'Seen' },
];

/** The directory as a table; on a narrow screen its rows are small cards. */
export function ComputeTable({ rows, first, total, query, virtual }: ComputeTableProps) {
  const { body, parts, measure } = useVirtualRows(rows, virtual);
  // The roles are those of a table anyway, but where rows are laid out as a grid browsers forget them.
  return (
    <table className="table computes" role="table" aria-rowcount={total + 1}>
      <caption className="visually-hidden">Computes</caption>
      <TableHead search={queryString(query)} query={query} />
      <tbody role="rowgroup" ref={body}>
        {parts.map((part) =>
          part.row ? (
            <ComputeRow
              key={part.row.id}
              compute={part.row}
              index={first + part.index}
              measure={virtual ? measure : undefined}
            />
          ) : (
            // In the place of the rows that are out of sight.
            <tr key={part.key} className="gap" aria-hidden>
              <td colSpan={COLUMNS.length} style={{ height: part.height }} />
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

interface TableHeadProps {
  query: DirectoryQuery;
  /** The query's own text: the same query may come as another object. */
  search: string;
}

const TableHead = memo(
  function TableHead({ query }: TableHeadProps) {
    return (
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={1}>
          {COLUMNS.map(({ key, name }) => {
            const chosen = query.sort === key;
            const order = query.descending ? 'descending' : 'ascending';
            return (
              <th
                key={key}
                role="columnheader"
                scope="col"
                // `.status` is the sign with its word.
                className={key === 'status' ? 'state' : key}
                aria-sort={chosen ? order : undefined}
              >
                <Link to={{ search: queryString(sortedBy(query, key)) }} preventScrollReset>
                  {name}
                  <SortSign order={chosen ? order : null} />
                </Link>
              </th>
            );
          })}
        </tr>
      </thead>
    );
  },
  (before, now) => before.search === now.search,
);

function SortSign({ order }: { order: 'ascending' | 'descending' | null }) {
  return (
    <svg className="sort-sign" viewBox="0 0 8 8" width="8" height="8" aria-hidden>
      {order && (
        <path d={order === 'ascending' ? 'M4 1 7.5 7h-7Z' : 'M4 7 .5 1h7Z'} fill="currentColor" />
      )}
    </svg>
  );
}
