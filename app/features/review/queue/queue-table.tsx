import { Link } from '@remix-run/react';
import type { MouseEvent } from 'react';
import type { NodeState, QueueItem } from '#server/review/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { dollars } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { Avatar, Waiting } from '../row-parts.tsx';
import { paymentDetail, paymentLabel } from '../labels.ts';
import { WarningCount } from '../warning-list.tsx';
import styles from './queue-table.module.css';
import { SELECTION_FORM, selectionValue, type Selection } from './use-selection.ts';

interface QueueTableProps {
  items: QueueItem[];
  /** The note of the open registration. */
  open: string | null;
  /** The reviewer's own address. */
  me: string;
  /** A registration with another fee shows it. */
  usualFeeUsd: number;
  selection: Selection;
}

/** The registrations waiting for review, oldest first. The whole row is a link that opens the registration. */
export function QueueTable({ items, open, me, usualFeeUsd, selection }: QueueTableProps) {
  const columns: Column<QueueItem>[] = [
    {
      head: 'Select',
      kind: 'check',
      cell: (item) => <SelectRow item={item} selection={selection} />,
    },
    {
      head: 'Name',
      kind: 'name',
      cell: (item) => (
        <>
          <span className={styles.first}>
            <Link
              className={styles.link}
              to={hrefs.review.queue({ open: item.note })}
              preventScrollReset
              aria-current={item.note === open ? 'true' : undefined}
              data-row={item.note}
            >
              {item.name}
            </Link>
            <WarningCount registration={item} className={styles.compact} />
            {item.asked && (
              <span className={text.secondary}>{item.asked === 'open' ? 'asked' : 'answered'}</span>
            )}
          </span>
          <span className={`${styles.second} ${styles.noPhone}`}>
            <code>{item.note}</code>
            {item.cashConfirm !== null && (
              <span title={item.cashConfirm}> “{item.cashConfirm}”</span>
            )}
          </span>
        </>
      ),
    },
    {
      head: 'Payment',
      phone: 'below',
      className: styles.payment,
      cell: (item) => (
        <>
          <Status {...paymentLabel(item)} />
          <span className={`${styles.second} ${styles.noPhone} ${styles.indented}`}>
            {item.feeUsd !== usualFeeUsd && <>fee {dollars(item.feeUsd)} </>}
            {paymentDetail(item) ?? (
              <>
                reported <RelativeTime at={item.confirmedAt ?? item.createdAt} />
              </>
            )}
          </span>
        </>
      ),
    },
    {
      head: 'Node',
      phone: 'end',
      shown: 'wide',
      className: styles.node,
      cell: (item) => (
        <>
          <span className={styles.first}>
            <NodeState state={item.nodeState} />
            <WarningCount registration={item} />
          </span>
          <span className={`${styles.second} ${styles.noPhone} ${styles.indented}`}>
            {item.kinds.join(', ')}
            {item.nodeProved && ', proved by its key'}
          </span>
        </>
      ),
    },
    {
      head: 'Open at',
      shown: 'wide',
      phone: 'hidden',
      className: styles.viewer,
      cell: (item) => <Reviewing {...item} me={me} />,
    },
    {
      head: 'Waiting',
      kind: 'number',
      phone: 'aside',
      className: styles.waiting,
      cell: ({ confirmedAt, createdAt }) => <Waiting since={confirmedAt ?? createdAt} />,
    },
  ];
  return (
    <DataTable
      className={styles.table}
      caption="Registrations waiting for review"
      cards="lines"
      rows={items}
      id={({ note }) => note}
      columns={columns}
    />
  );
}

/** Selects the row. With Shift, also the rows between it and the one before. */
function SelectRow({ item, selection }: { item: QueueItem; selection: Selection }) {
  const { name, note } = item;
  return (
    <label onMouseDown={keepTextUnselected}>
      <input
        type="checkbox"
        name="selected"
        form={SELECTION_FORM}
        value={selectionValue({ note, rev: selection.revOf(item) })}
        aria-label={`Select ${name}`}
        checked={selection.isSelected(note)}
        onChange={({ target, nativeEvent }) =>
          selection.set(note, target.checked, 'shiftKey' in nativeEvent && !!nativeEvent.shiftKey)
        }
      />
    </label>
  );
}

/** A click with Shift would select the text between it and the last click. */
const keepTextUnselected = (event: MouseEvent) => {
  if (event.shiftKey) event.preventDefault();
};

/** The node when the page was loaded; only the open registration's follows the clock. */
function NodeState({ state }: { state: NodeState }) {
  if (state === null) return <Status status="unknown" word="never seen" />;
  if (state === 'blocked') return <Status status="blocked" word="blocked" />;
  return <Status status={state} />;
}

/** Which other reviewer has it open, or else who sees to it. */
function Reviewing({ viewer, assignee, me }: ReviewingProps) {
  if (viewer !== null && viewer !== me) return <Avatar email={viewer} does="has this open" />;
  return assignee === null ? null : <Avatar email={assignee} does="sees to this" />;
}

type ReviewingProps = Pick<QueueItem, 'viewer' | 'assignee'> & { me: string };
