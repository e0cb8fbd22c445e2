import { Link } from '@remix-run/react';
import type { NodeState, QueueItem } from '#server/review/review-desk.ts';
import { dollars } from '#app/lib/formatters.ts';
import { Status } from '#app/ui/status-icon.tsx';
import { Until, Waiting } from '../moments.tsx';
import { ReviewerName } from '../reviewer-name.tsx';
import { Records } from '../records.tsx';
import { DOES, paymentWords } from '../labels.ts';

export const openHref = (note: string) =>
  `/review?${new URLSearchParams({ open: note }).toString()}`;

/** What waits, the oldest claim first. */
export function QueueTable({
  items,
  open,
  me,
}: {
  items: QueueItem[];
  /** The note of the one that is open. */
  open: string | null;
  /** The address of who looks. */
  me: string;
}) {
  return (
    <Records
      className="queue-table"
      caption="Registrations that wait for review"
      rows={items}
      id={({ note }) => note}
      rowClass={({ note }) => (note === open ? 'open' : undefined)}
      columns={[
        {
          head: 'Name',
          is: 'name',
          className: 'name',
          cell: (item) => (
            <>
              <Link
                to={openHref(item.note)}
                preventScrollReset
                aria-current={item.note === open ? 'true' : undefined}
                data-row={item.note}
              >
                {item.name}
              </Link>
              <Doing item={item} me={me} />
            </>
          ),
        },
        {
          head: 'Note',
          className: 'cell-note',
          cell: ({ note, cashConfirm }) => (
            <>
              <code>{note}</code>
              {cashConfirm !== null && (
                <span className="beside wrote" title={cashConfirm}>
                  “{cashConfirm}”
                </span>
              )}
            </>
          ),
        },
        {
          head: 'Payment',
          className: 'payment',
          cell: (item) => {
            const { sign, word } = paymentWords(item);
            return (
              <>
                <Status status={sign} word={word} />
                <span className="beside">fee {dollars(item.feeUsd)}</span>
              </>
            );
          },
        },
        {
          head: 'Node',
          className: 'node',
          cell: ({ nodeState, kinds }) => (
            <>
              <NodeStateWord state={nodeState} />
              <span className="beside">{kinds.join(', ')}</span>
            </>
          ),
        },
        {
          head: 'Waiting',
          className: 'waiting num',
          cell: ({ confirmedAt, createdAt }) => <Waiting since={confirmedAt ?? createdAt} />,
        },
      ]}
    />
  );
}

/** As it was when the page last asked: the one that is open follows the clock. */
function NodeStateWord({ state }: { state: NodeState }) {
  if (state === null) return <Status status="offline" word="never seen" />;
  if (state === 'blocked') return <Status status="offline" word="blocked" />;
  return <Status status={state} />;
}

/** What a reviewer is about to do with it, or who looks at it. */
function Doing({ item: { decision, viewer }, me }: { item: QueueItem; me: string }) {
  if (decision)
    return (
      <span className="beside">
        {decision.by === me ? 'you' : <ReviewerName email={decision.by} />}{' '}
        {decision.by === me ? decision.decision : DOES[decision.decision]},{' '}
        <Until at={decision.effectiveAt} />
      </span>
    );
  if (viewer && viewer !== me)
    return (
      <span className="beside">
        <ReviewerName email={viewer} /> has this open
      </span>
    );
  return null;
}
