import { Link, useLoaderData, useNavigation } from '@remix-run/react';
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { paymentsHref } from '#server/payments/payments.schema.ts';
import type { QueueItem } from '#server/review/index.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { count } from '#app/lib/formatters.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { staleReason } from '#app/lib/stale-while-offline.ts';
import button from '#app/ui/button.module.css';
import text from '#app/ui/text.module.css';
import { duration } from '../labels.ts';
import { Waiting } from '../row-parts.tsx';
import { useReportPendingCount } from '../pending-count.tsx';
import { ReviewPage } from '../review-page.tsx';
import { SelectAll } from '../select-all.tsx';
import { useDecisionForms } from './decision-form.tsx';
import { BulkRejectForm, BulkResults } from './bulk-reject-form.tsx';
import { DecisionFeedback, FloatingBars, lostFormMessage, UndoBar } from './recent-decisions.tsx';
import styles from './queue-page.module.css';
import type { loadQueue } from './queue-page.server.ts';
import { focusRowAt } from './queue-rows.ts';
import { QueueTable } from './queue-table.tsx';
import type { RejectFormHandle } from './reject-form.tsx';
import { usePresses } from './press-once.ts';
import { RegistrationPanel } from './registration-panel.tsx';
import {
  readSelectionValue,
  rejectedTogetherOf,
  SELECTION_FORM,
  useSelection,
  type Selection,
} from './use-selection.ts';
import { ShortcutKey } from '#app/ui/shortcut-setting.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { usePresence } from './use-presence.ts';
import { useQueueChanges } from './use-queue-changes.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** Also refreshes without a change in the queue, because nodes come and go (ms). */
const REFRESH_MS = 20_000;
/** The same in a hidden tab, whose title shows the count (ms). */
const HIDDEN_REFRESH_MS = 60_000;

/** The registrations waiting for review, beside the open one. */
export function QueuePage() {
  const queue = useLoaderData<typeof loadQueue>();
  const { items, total, mine, open, me, updatedAt } = queue;
  const problem = formErrorOf(useFormResult(open?.status ?? '', lostFormMessage(open?.note)));
  const problemOfOpen = open ? formErrorOf(problem, { note: open.note }) : undefined;
  const problemOfSelection = formErrorOf(problem, { intent: SELECTION_FORM });
  const results = rejectedTogetherOf(useFormResult(SELECTION_FORM));
  const selection = useSelection(
    items,
    (problemOfSelection?.values['selected'] ?? '')
      .split('\n')
      .flatMap((value) => readSelectionValue(value) ?? []),
  );
  const [seenResults, setSeenResults] = useState(results);
  if (results !== seenResults) {
    setSeenResults(results);
    selection.clear();
  }
  const loading = useNavigation().state !== 'idle';
  const refreshed = usePageRefresh(queue, REFRESH_MS, HIDDEN_REFRESH_MS);
  const streaming = useQueueChanges(staleReason(queue) !== 'signed-out');
  const connection =
    streaming && refreshed.state !== 'stale' ? { state: 'live' as const } : refreshed;
  const dialog = useRef<HTMLDialogElement>(null);
  const showHelp = () => dialog.current?.showModal();
  const forms = useDecisionForms();
  const presses = usePresses();
  const bulkRejectForm = useRef<RejectFormHandle>(null);
  const action = actionHref(open?.note);
  const waiting = open?.status === 'pending_review' ? open : null;
  useShortcuts({
    ...{ open: waiting, mine, action, forms, presses, showHelp, selection, bulkRejectForm },
  });
  usePresence(waiting);
  useReportPendingCount(total);
  const list = useRef<HTMLDivElement>(null);
  const opened = useFocusOnClose(items, open?.note ?? null, list);

  return (
    <ReviewPage
      updatedAt={updatedAt}
      undoes
      fills
      live={<ConnectionStatus connection={connection} renderedAt={updatedAt} />}
    >
      <div className={`${styles.work} ${open ? styles.withPanel : ''}`} aria-busy={loading}>
        <section className={styles.queue} aria-label="Queue">
          <Day queue={queue} selection={selection} />
          <div className={styles.list} ref={list} tabIndex={-1} data-scrolls>
            <DecisionFeedback
              mine={mine}
              updatedAt={updatedAt}
              problem={problemOfOpen || problemOfSelection ? undefined : problem}
            />
            {results && <BulkResults results={results} />}
            <List queue={queue} selection={selection} />
          </div>
        </section>
        {open && (
          <RegistrationPanel
            key={open.note}
            registration={open}
            action={action}
            me={me}
            problem={problemOfOpen}
            asOf={connection.state === 'stale' ? connection.asOf : null}
            focus={opened}
            forms={forms}
          />
        )}
        <FloatingBars className={`${styles.bars}`}>
          {items.length > 0 && (
            <BulkRejectForm
              selection={selection}
              action={action}
              problem={problemOfSelection}
              handle={bulkRejectForm}
            />
          )}
          <UndoBar mine={mine} action={action} />
          <div className={styles.tools}>
            <Link className={styles.tool} to={paymentsHref('imports')}>
              Import payments
            </Link>
            <button
              type="button"
              className={`${button.link} ${styles.tool} ${styles.shortcuts} needs-scripts`}
              onClick={showHelp}
            >
              Shortcuts <ShortcutKey>?</ShortcutKey>
            </button>
          </div>
        </FloatingBars>
      </div>
      <ShortcutsDialog dialog={dialog} />
    </ReviewPage>
  );
}

/** `index` addresses this page rather than its frame; `open` is what is shown again if the form is refused. */
const actionHref = (open: string | undefined) => hrefs.review.queue({ index: '', open });

interface ListProps {
  queue: ReturnType<typeof useLoaderData<typeof loadQueue>>;
  selection: Selection;
}

/** How many wait, and what became of the others today. Its checkbox selects all rows below it. */
function Day({ queue, selection }: ListProps) {
  const { items, total, today } = queue;
  const [oldest] = items;
  return (
    <div className={styles.day}>
      {items.length > 1 && (
        <SelectAll
          selected={selection.rows.length}
          total={items.length}
          onChange={selection.setAll}
        >
          <span className="visually-hidden">
            {total > items.length ? `Select the oldest ${count(items.length)}` : 'Select all'}
          </span>
        </SelectAll>
      )}
      <h1>{total === 0 ? 'Nothing is waiting' : `${count(total)} waiting`}</h1>
      <dl className={styles.figures}>
        {oldest && (
          <Figure
            label="oldest"
            value={<Waiting since={oldest.confirmedAt ?? oldest.createdAt} />}
          />
        )}
        <Figure label="decided today" value={count(today.decided)} />
        {today.medianMs !== null && <Figure label="median wait" value={duration(today.medianMs)} />}
      </dl>
    </div>
  );
}

const Figure = ({ label, value }: { label: string; value: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{value}</dd>
  </div>
);

function List({ queue, selection }: ListProps) {
  const { items, open, me, total, usualFeeUsd } = queue;
  if (items.length === 0)
    return (
      <div className={styles.empty}>
        <h2>The queue is empty</h2>
        <p>
          Registrations appear here as soon as their operator reports the payment. This page updates
          automatically.
        </p>
        <Link className={button.button} to={hrefs.review.registrations()}>
          View all registrations
        </Link>
      </div>
    );
  return (
    <>
      <QueueTable
        items={items}
        open={open?.note ?? null}
        me={me}
        usualFeeUsd={usualFeeUsd}
        selection={selection}
      />
      {total > items.length && (
        <p className={text.secondary}>
          The oldest {count(items.length)} of {count(total)}.{' '}
          <Link to={hrefs.review.registrations({ status: 'pending_review' })}>
            View all waiting
          </Link>
        </p>
      )}
    </>
  );
}

/**
 * When the open registration is closed, the focus goes back to where it was in the list.
 * @returns whether another registration is open than at first: then its panel takes the focus
 */
function useFocusOnClose(
  items: QueueItem[],
  open: string | null,
  list: RefObject<HTMLElement>,
): boolean {
  const [first] = useState(open);
  const [opened, setOpened] = useState(false);
  if (!opened && open !== first) setOpened(true);
  const position = useRef(0);
  useEffect(() => {
    const index = items.findIndex(({ note }) => note === open);
    if (index >= 0) position.current = index;
  }, [items, open]);
  useEffect(() => {
    if (opened && open === null && !focusRowAt(position.current)) list.current?.focus();
  }, [opened, open, list]);
  return opened;
}
