import { Link } from '@remix-run/react';
import type { Other, Opened } from '#server/review/review-desk.ts';
import { exact } from '#app/lib/clock.ts';
import { capacity, count, dollars } from '#app/lib/formatters.ts';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { Status, StatusIcon } from '#app/ui/status-icon.tsx';
import { NodeStatus } from '#app/features/mesh/node-status.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { noteWords, paymentWords, statusWords } from '../labels.ts';

/** The state of a registration with its sign. */
export function RegistrationStatus(registration: Pick<Opened, 'status' | 'decidedBy'>) {
  const { word, sign } = statusWords(registration);
  return (
    <span className="status">
      <StatusIcon status={sign} />
      {word}
    </span>
  );
}

/** What is registered, and what was paid for it. */
export function RegistrationFacts({ registration }: { registration: Opened }) {
  const { note, name, label, kinds, region, nodeId, feeUsd, cashConfirm, confirmedAt, expiresAt } =
    registration;
  const payment = paymentWords(registration);
  return (
    <dl className="facts review-facts">
      <dt>Payment</dt>
      <dd>
        <span className="status">
          <StatusIcon status={payment.sign} />
          {payment.word}
        </span>
        {registration.payment.payments.map((paid, _, { length }) => (
          <span key={paid.id} className="line secondary">
            {exact(paid.paidAt)}, {dollars(paid.amountUsd)}, {noteWords(paid, note)}
            {/* One of them is given back: it has to be found. */}
            {length > 1 && (
              <>
                , <code>{paid.id}</code>
              </>
            )}
          </span>
        ))}
      </dd>
      <dt>Fee</dt>
      <dd>{dollars(feeUsd)}</dd>
      <dt>Note</dt>
      <dd className="copyable">
        <code>{note}</code>
        <CopyButton text={note} />
      </dd>
      <dt>They wrote</dt>
      <dd>
        {cashConfirm === null ? <span className="secondary">nothing</span> : cashConfirm}
        {registration.payment.named.map((paid, index) => (
          <span key={index} className="line">
            This names a payment of {dollars(paid.amountUsd)}, {exact(paid.paidAt).slice(0, 10)},
            with {paid.note === '' ? 'no note' : `the note “${paid.note}”`}.
          </span>
        ))}
      </dd>
      {confirmedAt && (
        <>
          <dt>Confirmed</dt>
          <dd>
            <RelativeTime at={confirmedAt} />
            {confirmedAt > expiresAt && <span className="line">after the hold had ended</span>}
          </dd>
        </>
      )}
      {label !== name && (
        <>
          <dt>Label</dt>
          <dd>{label}</dd>
        </>
      )}
      <dt>Kinds</dt>
      <dd>{kinds.join(', ')}</dd>
      <dt>Class, region</dt>
      <dd>
        {registration.class}, {region}
      </dd>
      <dt>Node</dt>
      <dd>
        <Link to={`/nodes/${encodeURIComponent(nodeId)}`}>
          <code>{nodeId}</code>
        </Link>
      </dd>
    </dl>
  );
}

/** The node at this moment, and what it announced. */
export function NodeNow({ registration, asOf }: { registration: Opened; asOf: number | null }) {
  const { node, nodeId, name } = registration;
  const computes = [...node.computes].sort(
    (a, b) => Number(b.name === name) - Number(a.name === name),
  );
  if (node.blocked)
    return (
      <>
        <p className="node-now">
          <Status status="offline" word="blocked" />
        </p>
        <p className="secondary">
          Its heartbeats and announces are refused: an accepted name would show nothing of it.{' '}
          <Link to="/review/nodes">Blocked nodes</Link>
        </p>
      </>
    );
  return (
    <>
      <p>
        {node.peer && node.reportedStatus ? (
          <NodeStatus peer={node.peer} reportedStatus={node.reportedStatus} asOf={asOf} />
        ) : (
          <span className="status">
            <StatusIcon status="offline" />
            never sent a heartbeat
          </span>
        )}
      </p>
      {node.computes.length === 0 ? (
        <p className="secondary">It has announced no compute.</p>
      ) : (
        <ul className="computes-now">
          {computes.slice(0, COMPUTES_SHOWN).map((compute) => (
            <li key={compute.name}>
              <code>{compute.name}</code> <Status status={compute.status} />{' '}
              <span className="secondary">
                {capacity(compute)}
                {compute.name === name && ', this name'}
              </span>
            </li>
          ))}
          {computes.length > COMPUTES_SHOWN && (
            <li>
              <span className="secondary">
                and {count(computes.length - COMPUTES_SHOWN)} more on{' '}
                <Link to={`/nodes/${encodeURIComponent(nodeId)}`}>the page of the node</Link>
              </span>
            </li>
          )}
        </ul>
      )}
    </>
  );
}

/** Of a node with many computes so many are listed, the one of this name among them. */
const COMPUTES_SHOWN = 8;

/** What else the node and the name have going. */
export const AlsoOf = ({
  registration: { payment, ofPayment, ofNode, ofName },
}: {
  registration: Opened;
}) => (
  <>
    {payment.named.length > 0 && (
      <Others
        title="Also of this payment"
        none="No other registration has its note, or names it."
        {...ofPayment}
      />
    )}
    <Others title="Also of this node" none="No other registration names this node." {...ofNode} />
    <Others title="Also of this name" none="No other registration has this name." {...ofName} />
  </>
);

function Others({
  title,
  none,
  rows,
  total,
}: Opened['ofNode'] & {
  title: string;
  none: string;
}) {
  return (
    <>
      <h3>{title}</h3>
      {total === 0 ? (
        <p className="secondary">{none}</p>
      ) : (
        <ul className="others">
          {rows.map((other) => (
            <OtherRow key={other.note} other={other} />
          ))}
          {total > rows.length && (
            <li className="secondary">and {count(total - rows.length)} earlier ones</li>
          )}
        </ul>
      )}
    </>
  );
}

const OtherRow = ({ other: { note, name, status, decidedBy, updatedAt } }: { other: Other }) => (
  <li>
    <Link to={`/review/registrations/${note}`}>{name}</Link>
    <RegistrationStatus {...{ status, decidedBy }} />
    <span className="secondary">
      <RelativeTime at={updatedAt} />
    </span>
  </li>
);
