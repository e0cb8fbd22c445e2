import type { ReactNode } from 'react';

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  /** `name` names the row; `act` is what can be done with it, its head only for who hears the page. */
  is?: 'name' | 'act';
  /** Of its cells. `num`: figures and ages, at the right; `word`: does not break; `text`: may break anywhere. */
  className?: string;
}

interface RecordsProps<Row> {
  /** For who hears the page. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  /** What tells a row from the others. */
  id: (row: Row) => string;
  /** Where a narrow screen lays the rows out in a way of its own; else each value stands beside its head. */
  className?: string;
  rowClass?: (row: Row) => string | undefined;
}

/** A list of records, on a card whose edges it reaches. */
export function Records<Row>({
  caption,
  columns,
  rows,
  id,
  className = 'labels',
  rowClass,
}: RecordsProps<Row>) {
  // The roles are a table's anyway, but a narrow screen lays the rows out as a grid, and browsers then forget.
  return (
    <table className={`table records ${className}`} role="table">
      <caption className="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ head, is, className }) => (
            <th key={head} role="columnheader" scope="col" className={className}>
              {is === 'act' ? <span className="visually-hidden">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={id(row)} role="row" className={rowClass?.(row)}>
            {columns.map(({ head, cell, is, className }) =>
              is === 'name' ? (
                <th key={head} role="rowheader" scope="row" className={className}>
                  {cell(row)}
                </th>
              ) : (
                <td
                  key={head}
                  role="cell"
                  className={is === 'act' ? is : className}
                  data-label={is === 'act' ? undefined : head}
                >
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
