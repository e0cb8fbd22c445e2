import { memo, type MouseEvent, type ReactNode } from 'react';
import { Link } from './link.tsx';
import type { VirtualRows } from './use-virtual-rows.ts';
import styles from './data-table.module.css';

export interface Column<Row> {
  /** The column's header, and on a phone the label of a labelled cell. */
  head: string;
  /** In the place of `head` on a wide screen, such as words that only screen readers need. */
  headContent?: ReactNode;
  cell: (row: Row) => ReactNode;
  /**
   * `name` names the row; `actions` are what can be done with it; `number`: figures and ages, at the right;
   * `word` does not break; `text` may break anywhere; `check`: a checkbox of 18 px in a label of 44 × 44.
   */
  kind?: 'name' | 'actions' | 'number' | 'word' | 'text' | 'check';
  /**
   * Where the cell goes on a phone, whose rows are cards. With labels: the `title` (a name by default), `aside` at the
   * right of the title, `labelled` by its head on a line of its own (the default), `full` width without a
   * label (actions by default), `inline` after the one before it, or `hidden`. In two lines: the `title` with `aside` at
   * its right, `below` and `end` under them; anything else is hidden (a checkbox stands before both lines).
   */
  phone?: 'title' | 'aside' | 'labelled' | 'full' | 'inline' | 'below' | 'end' | 'hidden';
  /** `wide`: left out of a compact window, 900 to 1179 px. `cards`: only on a phone, such as two columns in one. */
  shown?: 'wide' | 'cards';
  /** Of its cells and head: the width of the column. */
  className?: string | undefined;
  /** What the list is sorted by with this column: its head is a link. See `sort` of the table. */
  sort?: string;
}

/** The order of a list, and the addresses of the others. */
export interface TableSort {
  /** `sort` of the column that the list is sorted by. */
  by: string;
  descending: boolean;
  /** The list in the order that a click on the head of a column asks for. */
  href: (sort: string) => string;
}

export interface DataTableProps<Row> {
  /** For screen readers. */
  caption: string;
  /** The same array while nothing but the rows changes: new ones render every row again. */
  columns: readonly Column<Row>[];
  rows: Row[];
  /** A key that identifies a row. */
  id: (row: Row) => string;
  /** Columns with `sort` have an arrow and a link that sorts, which replaces the entry of the history. */
  sort?: TableSort;
  /** The table lies in a card, and its rows reach the card's edges. */
  inCard?: boolean;
  /** What rows are on a phone: cards with labels, cards of two lines, or (false) a table, for a box that scrolls sideways. */
  cards?: 'labels' | 'lines' | false;
  /** A click anywhere in a row opens the link of its name. */
  linked?: boolean;
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
  sort,
  inCard = false,
  cards = 'labels',
  linked = false,
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
  return (
    <table
      className={classes(
        styles.table,
        cards !== false && styles.cards,
        cards === 'lines' && styles.lines,
        inCard && styles.inCard,
        linked && styles.linked,
        sort && styles.sorted,
        className,
      )}
      aria-rowcount={part && part.total + 1}
    >
      <caption className="visually-hidden">{caption}</caption>
      <TableHead columns={columns} sort={sort} isPart={part !== undefined} />
      <tbody ref={virtual?.body} {...(linked && { onClick: openRow, onAuxClick: openRow })}>
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

interface TableHeadProps {
  columns: readonly Column<never>[];
  sort: TableSort | undefined;
  /** The table has a part of a longer list, whose first row is this. */
  isPart: boolean;
}

/** Renders again only when the columns or the order are other objects: lists scroll and change all the time. */
const TableHead = memo(function TableHead({ columns, sort, isPart }: TableHeadProps) {
  return (
    <thead>
      <tr aria-rowindex={isPart ? 1 : undefined}>
        {columns.map((column) => (
          <th
            key={column.head}
            scope="col"
            className={headClass(column)}
            aria-sort={sort && sort.by === column.sort ? orderOf(sort) : undefined}
          >
            {column.kind === 'actions' || column.kind === 'check' ? (
              <span className="visually-hidden">{column.head}</span>
            ) : (
              <Head column={column} sort={sort} />
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
});

const orderOf = ({ descending }: TableSort) => (descending ? 'descending' : 'ascending');

function Head<Row>({
  column: { head, headContent, sort: by },
  sort,
}: {
  column: Column<Row>;
  sort: TableSort | undefined;
}) {
  const content = headContent ?? head;
  if (!sort || by === undefined) return content;
  return (
    <Link className={styles.sort} to={sort.href(by)} replace preventScrollReset>
      {content}
      <SortArrow order={sort.by === by ? orderOf(sort) : null} />
    </Link>
  );
}

/** Takes up room in every head, so that sorting moves nothing. */
function SortArrow({ order }: { order: 'ascending' | 'descending' | null }) {
  return (
    <svg viewBox="0 0 10 12" width="10" height="12" aria-hidden>
      {order && (
        <path
          d={order === 'ascending' ? 'M5 11V1.5M1.5 5 5 1.5 8.5 5' : 'M5 1v9.5M1.5 7 5 10.5 8.5 7'}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
        />
      )}
    </svg>
  );
}

/** What has a click of its own. */
const OWN_CLICK = 'a, button, input, label, select, summary';

/** Opens the link of the row's name, in another tab by the middle button or with the keys that a link knows. */
function openRow(event: MouseEvent<HTMLElement>): void {
  const { target, button, ctrlKey, metaKey, shiftKey } = event;
  if (button > 1 || !(target instanceof Element) || target.closest(OWN_CLICK)) return;
  // The click ended a selection of text.
  if (window.getSelection()?.isCollapsed === false) return;
  const link = target.closest('tr')?.querySelector<HTMLElement>('th a');
  const init = { bubbles: true, cancelable: true, ctrlKey: ctrlKey || button === 1, metaKey };
  link?.dispatchEvent(new window.MouseEvent('click', { ...init, shiftKey }));
}

interface TableRowProps {
  // Generic components can't be memoized with their types.
  row: never;
  columns: readonly Column<never>[];
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
      className={className}
      // The head is row 1.
      aria-rowindex={position === undefined ? undefined : position + 2}
      data-id={id}
      data-index={index}
    >
      {columns.map((column) => {
        const { head, cell, kind } = column;
        return kind === 'name' ? (
          <th key={head} scope="row" className={cellClass(column)}>
            {cell(row)}
          </th>
        ) : (
          <td
            key={head}
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
  return (
    phone ??
    (kind === 'name' ? 'title' : kind === 'actions' || kind === 'check' ? 'full' : 'labelled')
  );
}

const SHOWN = { wide: styles.wide, cards: styles.onPhone };

const classes = (...names: (string | false | undefined)[]) => names.filter(Boolean).join(' ');

function headClass<Row>({ kind, shown, className }: Column<Row>) {
  return classes(kind && styles[kind], shown && SHOWN[shown], className) || undefined;
}

function cellClass<Row>(column: Column<Row>) {
  const { kind, shown, className } = column;
  return classes(kind && styles[kind], styles[phoneOf(column)], shown && SHOWN[shown], className);
}
