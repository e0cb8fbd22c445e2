import { memo, type ReactNode } from 'react';
import type { VirtualRows } from './use-virtual-rows.ts';
import styles from './data-table.module.css';

export interface Column<Row> {
  /** The column's header, and on a phone the label of a labelled cell. */
  head: string;
  /** In the place of `head` on a wide screen, such as a link that sorts. */
  headContent?: ReactNode;
  cell: (row: Row) => ReactNode;
  /**
   * `name` names the row; `actions` are what can be done with it; `number`: figures and ages, at the right;
   * `word` does not break; `text` may break anywhere.
   */
  kind?: 'name' | 'actions' | 'number' | 'word' | 'text';
  /**
   * Where the cell goes on a phone, whose rows are cards: the `title` (a name by default), `aside` at the
   * right of the title, `labelled` by its head on a line of its own (the default), `full` width without a
   * label (actions by default), `inline` after the one before it, or `hidden`.
   */
  phone?: 'title' | 'aside' | 'labelled' | 'full' | 'inline' | 'hidden';
  /** Of its cells and head: the width of the column. */
  className?: string | undefined;
  sorted?: 'ascending' | 'descending' | undefined;
}

export interface DataTableProps<Row> {
  /** For screen readers. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  /** A key that identifies a row. */
  id: (row: Row) => string;
  /** The table lies in a card, and its rows reach the card's edges. */
  inCard?: boolean;
  /** On a phone its rows are cards. False: it stays a table, for a box that scrolls sideways. */
  cards?: boolean;
  className?: string | undefined;
  rowClass?: (row: Row) => string | undefined;
  /** For a part of a longer list: the index of its first row, from 0, and how many rows the list has. */
  part?: { first: number; total: number } | undefined;
  /** Renders only the rows in view, from useVirtualRows. */
  virtual?: VirtualRows<Row> | undefined;
}

/** A list of rows: a table, and on a phone a card for each row. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  id,
  inCard = false,
  cards = true,
  className,
  rowClass,
  part,
  virtual,
}: DataTableProps<Row>) {
  const rowAt = (row: Row, index: number) => (
    <TableRow
      key={id(row)}
      row={row as never}
      columns={columns}
      className={rowClass?.(row)}
      {...(part && { position: part.first + index })}
      {...(virtual && { id: id(row), index, measure: virtual.measure })}
    />
  );
  // A table has these roles anyway, but browsers drop them where a phone lays the rows out as cards.
  return (
    <table
      className={classes(styles.table, cards && styles.cards, inCard && styles.inCard, className)}
      role="table"
      aria-rowcount={part && part.total + 1}
    >
      <caption className="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={part && 1}>
          {columns.map((column) => (
            <th
              key={column.head}
              role="columnheader"
              scope="col"
              className={headClass(column)}
              aria-sort={column.sorted}
            >
              {column.kind === 'actions' ? (
                <span className="visually-hidden">{column.head}</span>
              ) : (
                (column.headContent ?? column.head)
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" ref={virtual?.body}>
        {virtual
          ? virtual.items.map((item) =>
              'row' in item ? (
                rowAt(item.row, item.index)
              ) : (
                // One cell: more than a table shows would add columns to it.
                <tr key={item.key} className={styles.gap} aria-hidden>
                  <td style={{ height: item.height }} />
                </tr>
              ),
            )
          : rows.map(rowAt)}
      </tbody>
    </table>
  );
}

interface TableRowProps {
  // Generic components can't be memoized with their types.
  row: never;
  columns: Column<never>[];
  className: string | undefined;
  /** Index in the whole list, from 0. */
  position?: number;
  /** Of a virtual row: what finds it again, and what measures its height. */
  id?: string;
  index?: number;
  measure?: (row: HTMLTableRowElement | null) => void;
}

/** Renders again only when its row or the columns are other objects: live lists change all the time. */
const TableRow = memo(function TableRow(props: TableRowProps) {
  const { row, columns, className, position, id, index, measure } = props;
  return (
    <tr
      ref={measure}
      role="row"
      className={className}
      // The head is row 1.
      aria-rowindex={position === undefined ? undefined : position + 2}
      data-id={id}
      data-index={index}
    >
      {columns.map((column) => {
        const { head, cell, kind } = column;
        return kind === 'name' ? (
          <th key={head} role="rowheader" scope="row" className={cellClass(column)}>
            {cell(row)}
          </th>
        ) : (
          <td
            key={head}
            role="cell"
            className={cellClass(column)}
            data-label={phoneOf(column) === 'labelled' ? head : undefined}
          >
            {cell(row)}
          </td>
        );
      })}
    </tr>
  );
});

function phoneOf({ kind, phone }: Pick<Column<never>, 'kind' | 'phone'>) {
  return phone ?? (kind === 'name' ? 'title' : kind === 'actions' ? 'full' : 'labelled');
}

const classes = (...names: (string | false | undefined)[]) => names.filter(Boolean).join(' ');

function headClass<Row>({ kind, className }: Column<Row>) {
  return classes(kind && styles[kind], className) || undefined;
}

function cellClass<Row>(column: Column<Row>) {
  return classes(column.kind && styles[column.kind], styles[phoneOf(column)], column.className);
}
