import { Link } from '@remix-run/react';
import { memo } from 'react';
import type { QueueItem } from '../../../server/services/review-desk.ts';
import { StatusGlyph } from '../glyph.tsx';
import { Until, Waiting } from './moments.tsx';
import { DOES, paymentWords, shortName } from './words.ts';

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
  // The roles are a table's anyway, but a narrow screen lays the rows out as a grid, and browsers then forget.
  return (
    <table className="table queue-table" role="table">
      <caption className="visually-hidden">Registrations that wait for review</caption>
      <thead role="rowgroup">
        <tr role="row">
          {['Name', 'Note', 'Payment', 'Kinds', 'Waiting'].map((head) => (
            <th
              key={head}
              role="columnheader"
              scope="col"
              className={head === 'Waiting' ? 'num' : undefined}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {items.map((item) => (
          <Row key={item.note} item={item} open={item.note === open} me={me} />
        ))}
      </tbody>
    </table>
  );
}

const Row = memo(function Row({ item, open, me }: { item: QueueItem; open: boolean; me: string }) {
  const { name, note, kinds, confirmedAt, createdAt } = item;
  const payment = paymentWords(item);
  return (
    <tr role="row" className={open ? 'open' : undefined}>
      <th role="rowheader" scope="row" className="name">
        <Link
          to={openHref(note)}
          discover="none"
          aria-current={open ? 'true' : undefined}
          data-row={note}
        >
          {name}
        </Link>
        <Doing item={item} me={me} />
      </th>
      <td role="cell" className="cell-note">
        <code>{note}</code>
      </td>
      <td role="cell" className="payment">
        <span className="status">
          <StatusGlyph status={payment.sign} />
          {payment.word}
        </span>
      </td>
      <td role="cell" className="kinds">
        {kinds.join(', ')}
      </td>
      <td role="cell" className="waiting num">
        <Waiting since={confirmedAt ?? createdAt} />
      </td>
    </tr>
  );
});

/** What a reviewer is about to do with it, or who looks at it. */
function Doing({ item: { decision, take }, me }: { item: QueueItem; me: string }) {
  if (decision)
    return (
      <span className="doing" title={decision.by}>
        {decision.by === me ? 'you' : shortName(decision.by)}{' '}
        {decision.by === me ? decision.decision : DOES[decision.decision]},{' '}
        <Until at={decision.effectiveAt} />
      </span>
    );
  if (take && take.by !== me)
    return (
      <span className="doing" title={take.by}>
        {shortName(take.by)} has this open
      </span>
    );
  return null;
}
