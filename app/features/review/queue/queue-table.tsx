import { Link } from '@remix-run/react';
import type { MouseEvent } from 'react';
import type { NodeState, QueueItem } from '#server/review/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { dollars } from '#app/lib/formatters.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { DuplicateConfirmation, ReviewerName, Waiting } from '../row-parts.tsx';
import { paymentLabel } from '../labels.ts';
import { NodeProofMarks } from '../node-proof.tsx';
import parts from '../parts.module.css';
import box from '../select-all.module.css';
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
      headContent: <span className="visually-hidden">Select</span>,
      phone: 'inline',
      className: styles.selectCell,
      cell: (item) => <SelectRow item={item} selection={selection} />,
    },
    {
      head: 'Name',
      kind: 'name',
      className: styles.name,
      cell: (item) => (
        <div className={parts.wrapped}>
          <Link
            className={styles.link}
            to={hrefs.review.queue({ open: item.note })}
            preventScrollReset
            aria-current={item.note === open ? 'true' : undefined}
            data-row={item.note}
          >
            {item.name}
          </Link>
          <OtherViewer viewer={item.viewer} me={me} />
        </div>
      ),
    },
    {
      head: 'Payment note',
      kind: 'text',
      phone: 'full',
      className: styles.note,
      cell: ({ note, cashConfirm, duplicateConfirmation }) => (
        <div className={parts.wrapped}>
          <code>{note}</code>
          {cashConfirm !== null && (
            <span className={`${text.secondary} ${styles.confirmation}`} title={cashConfirm}>
              “{cashConfirm}”
            </span>
          )}
          {duplicateConfirmation && <DuplicateConfirmation />}
        </div>
      ),
    },
    {
      head: 'Payment',
      phone: 'inline',
      className: styles.payment,
      cell: (item) => (
        <div className={parts.wrapped}>
          <Status {...paymentLabel(item)} />
          {item.feeUsd !== usualFeeUsd && (
            <span className={text.secondary}>fee {dollars(item.feeUsd)}</span>
          )}
        </div>
      ),
    },
    {
      head: 'Node',
      phone: 'inline',
      className: styles.node,
      cell: ({ nodeState, kinds, nodeProved, notices }) => (
        <div className={parts.wrapped}>
          <NodeState state={nodeState} />
          <span className={text.secondary}>{kinds.join(', ')}</span>
          <NodeProofMarks nodeProved={nodeProved} notices={notices} />
        </div>
      ),
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
      inCard
      className={styles.table}
      caption="Registrations waiting for review"
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
    <label className={styles.select} onMouseDown={keepTextUnselected}>
      <input
        type="checkbox"
        name="selected"
        form={SELECTION_FORM}
        className={box.box}
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
  if (state === null) return <Status status="offline" word="never seen" />;
  if (state === 'blocked') return <Status status="offline" word="blocked" />;
  return <Status status={state} />;
}

/** Which other reviewer has it open. */
function OtherViewer({ viewer, me }: { viewer: string | null; me: string }) {
  if (viewer === null || viewer === me) return null;
  return (
    <span className={text.secondary}>
      <ReviewerName email={viewer} /> has this open
    </span>
  );
}
