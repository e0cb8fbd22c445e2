import { Link, useLocation } from '@remix-run/react';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { Outcome } from '#server/review/index.ts';
import { paymentsHref } from '#server/payments/payments.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { count, dollars } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import card from '#app/ui/card.module.css';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { ActionForm, FormAlert, useFocusOnAnswer } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { registrations } from '../labels.ts';
import { ReviewerName } from '../row-parts.tsx';
import { SelectAll } from '../select-all.tsx';
import box from '../select-all.module.css';
import parts from '../parts.module.css';
import styles from './accept-tab.module.css';
import { LEFT_OUT, whyNotAccepted } from './labels.ts';
import type { PaidAndWaiting, PaidRegistration } from './payments.server.ts';

interface AcceptTabProps {
  waiting: PaidAndWaiting;
  outcomes: Outcome[];
  /** The visit of this page that sent the form; null if it was sent before the page was opened. */
  sentFrom: string | null;
  ticked: ReturnType<typeof useTicked>;
  problem: FormError | undefined;
}

/** Registrations to accept in bulk, and those that have to be decided one by one. */
export function AcceptTab({ waiting, outcomes, sentFrom, ticked, problem }: AcceptTabProps) {
  const { rows, total, leftOut } = waiting;
  return (
    <>
      {outcomes.length > 0 && <AcceptResults {...{ outcomes, sentFrom }} />}
      {total === 0 ? (
        <EmptyTab title="Nothing to accept">
          <FormAlert problem={problem} />
          <p>
            Registrations appear here once their payment is imported.{' '}
            <Link to={paymentsHref('imports')}>Import payments</Link>
          </p>
        </EmptyTab>
      ) : (
        <section className={card.padded} aria-labelledby="to-accept">
          <h2 id="to-accept">Paid and waiting for review</h2>
          <p className={`${text.secondary} ${styles.intro}`}>
            {total > rows.length && (
              <>
                The oldest {count(rows.length)} of {count(total)}.{' '}
              </>
            )}
            Untick anything doubtful, then accept the rest. This takes effect at once.
          </p>
          <AcceptForm {...{ waiting, ticked, problem }} />
        </section>
      )}
      {leftOut.length > 0 && (
        <Panel title={`Left out: ${count(leftOut.length)}`}>
          <DataTable
            inCard
            caption="Paid registrations to decide one by one"
            rows={leftOut}
            id={({ note }) => note}
            columns={LEFT_OUT_COLUMNS}
          />
        </Panel>
      )}
    </>
  );
}

/** Registrations whose payment was found, to be accepted in bulk after a look. */
function AcceptForm({
  waiting: { rows },
  ticked,
  problem,
}: Omit<AcceptTabProps, 'outcomes' | 'sentFrom'>) {
  const { isTicked, setTicked } = ticked;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // What was unticked before the scripts loaded, and what a browser restores on reload.
    const unticked = list.current?.querySelectorAll<HTMLInputElement>(
      'input[name=note]:not(:checked)',
    );
    setTicked(
      [...(unticked ?? [])].map(({ value }) => value),
      false,
    );
  }, [setTicked]);
  const number = rows.filter(({ note }) => isTicked(note)).length;
  const columns = useMemo(() => columnsFor({ isTicked, setTicked }), [isTicked, setTicked]);
  return (
    <ActionForm
      intent="accept"
      action={paymentsHref('accept')}
      problem={problem}
      submitLabel={
        <>
          <span className="without-scripts">Accept ticked registrations</span>
          <span className="needs-scripts">Accept {registrations(number)}</span>
        </>
      }
      look="primary"
      disabled={number === 0}
      keepValues
    >
      {rows.length > 1 && (
        <SelectAll
          selected={number}
          total={rows.length}
          onChange={(all) =>
            setTicked(
              rows.map(({ note }) => note),
              all,
            )
          }
        />
      )}
      <div ref={list}>
        <DataTable
          inCard
          className={styles.table}
          caption="Paid registrations waiting for review"
          rows={rows}
          id={({ note }) => note}
          columns={columns}
          rowClass={() => styles.row}
        />
      </div>
    </ActionForm>
  );
}

const columnsFor = ({
  isTicked,
  setTicked,
}: ReturnType<typeof useTicked>): Column<PaidRegistration>[] => [
  {
    head: 'Name',
    kind: 'name',
    cell: ({ name, note }) => (
      <label className={styles.label}>
        <input
          type="checkbox"
          className={box.box}
          name="note"
          value={note}
          checked={isTicked(note)}
          onChange={({ target }) => setTicked([note], target.checked)}
        />
        {name}
      </label>
    ),
  },
  { head: 'Payment note', kind: 'text', phone: 'full', cell: ({ note }) => <code>{note}</code> },
  {
    head: 'Paid',
    phone: 'inline',
    kind: 'word',
    cell: ({ paidAt }) => <RelativeTime at={paidAt.toISOString()} />,
  },
  {
    head: 'Kinds',
    phone: 'inline',
    cell: ({ kinds }) => <span className={text.secondary}>{kinds?.join(', ')}</span>,
  },
  {
    head: 'Amount',
    kind: 'number',
    phone: 'aside',
    cell: ({ amountCents }) => dollars(amountCents / 100),
  },
  {
    head: 'View',
    kind: 'actions',
    phone: 'inline',
    cell: ({ name, note }) => (
      <Link className={styles.view} to={hrefs.review.registration(note)}>
        View<span className="visually-hidden"> {name}</span>
      </Link>
    ),
  },
];

const LEFT_OUT_COLUMNS: Column<PaidAndWaiting['leftOut'][number]>[] = [
  {
    head: 'Name',
    kind: 'name',
    cell: ({ name, note }) => <Link to={hrefs.review.registration(note)}>{name}</Link>,
  },
  { head: 'Payment note', kind: 'text', phone: 'full', cell: ({ note }) => <code>{note}</code> },
  { head: 'Reason', phone: 'full', cell: ({ why }) => LEFT_OUT[why] },
];

/** What a tab of the payments page shows when there is nothing to do. */
export function EmptyTab({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={`${card.padded} ${styles.empty}`}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** The registrations that were to be accepted. Takes the focus from the button, whose form has other rows now. */
function AcceptResults({ outcomes, sentFrom }: Pick<AcceptTabProps, 'outcomes' | 'sentFrom'>) {
  const heading = useFocusOnAnswer(sentFrom);
  return (
    <section className={card.padded} aria-labelledby="results">
      <h2 id="results" ref={heading} tabIndex={-1}>
        Results
      </h2>
      <div role="status">
        <ul className={parts.lines}>
          {outcomes.map((row) => (
            <li key={row.note}>
              <Link className={parts.subject} to={hrefs.review.registration(row.note)}>
                {row.name}
              </Link>{' '}
              <Result row={row} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

/** The current state of one of them: another reviewer may have decided it first. */
function Result({ row }: { row: Outcome }) {
  const { status, decidedBy, decidedAt, reason } = row;
  const by = (
    <>
      by {decidedBy && <ReviewerName email={decidedBy} />}
      {decidedAt && (
        <>
          , <RelativeTime at={decidedAt.toISOString()} />
        </>
      )}
    </>
  );
  switch (status) {
    case 'active':
      return (
        <>
          <Status status="online" word="accepted" /> {by}
        </>
      );
    case 'rejected':
      return (
        <>
          <Status status="offline" word="rejected" /> {by}
          {reason && `: ${reason}`}
        </>
      );
    default:
      return (
        <>
          <Status status="idle" word="not accepted" />. {whyNotAccepted(row)}
        </>
      );
  }
}

/**
 * Which rows of a list are ticked. All are at first, and so are new ones on every navigation, such as after
 * another import. A row that a background refresh adds is not: a click meant for the others would accept it
 * unseen. What was unticked stays unticked while the list isn't shown.
 * @param ids of the rows; empty while the list isn't shown
 */
export function useTicked(ids: string[]) {
  const { key } = useLocation();
  const [state, setState] = useState(() => ({
    key,
    shown: new Set(ids),
    unticked: new Set<string>(),
  }));
  const navigated = key !== state.key;
  const late = navigated ? [] : ids.filter((id) => !state.shown.has(id));
  if (navigated || late.length > 0)
    setState({
      key,
      shown: new Set(navigated ? ids : [...state.shown, ...late]),
      unticked: new Set([...state.unticked, ...late]),
    });

  const setTicked = useCallback(
    (changed: string[], ticked: boolean) =>
      setState((last) => {
        const unticked = new Set(last.unticked);
        for (const id of changed)
          if (ticked) unticked.delete(id);
          else unticked.add(id);
        return { ...last, unticked };
      }),
    [],
  );
  const { unticked } = state;
  const isTicked = useCallback((id: string) => !unticked.has(id), [unticked]);
  return { isTicked, setTicked };
}
