import { Link, useLocation } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { paymentsHref } from '#server/payments/payments.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { dollars } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { ActionForm } from '#app/ui/form.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { registrations } from '../labels.ts';
import box from '../select-all.module.css';
import { SelectAll } from '../select-all.tsx';
import styles from './accept-form.module.css';
import type { PaidRegistration } from './payments.server.ts';

interface AcceptFormProps {
  /** The registrations that have waited longest. */
  rows: PaidRegistration[];
  ticked: Ticked;
  problem: FormError | undefined;
}

/** Registrations whose payment was found, to be accepted in bulk after a look. */
export function AcceptForm({ rows, ticked, problem }: AcceptFormProps) {
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
  const columns: Column<PaidRegistration>[] = [
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
  return { isTicked: (id: string) => !state.unticked.has(id), setTicked };
}

export type Ticked = ReturnType<typeof useTicked>;
