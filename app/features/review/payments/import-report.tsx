import { Link } from '@remix-run/react';
import type { ImportReport as Report } from '#server/payments/index.ts';
import { paymentsHref } from '#server/payments/payments.schema.ts';
import { count, dollars } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { useFocusOnAnswer } from '#app/ui/form.tsx';
import text from '#app/ui/text.module.css';
import styles from './import-report.module.css';
import { importSummary, MATCH_LABEL } from './labels.ts';

/** Reversed payments that are listed one by one. */
const REVERSED_SHOWN = 50;

interface ImportReportProps {
  report: Report;
  toAccept: number;
  needLook: number;
}

/** The result of an import, and where to go next. */
export function ImportReport({ report, toAccept, needLook }: ImportReportProps) {
  const heading = useFocusOnAnswer(report);
  return (
    <section className={`${card.padded} ${styles.report}`} aria-labelledby="imported">
      <h2 id="imported" ref={heading} tabIndex={-1}>
        {report.fresh > 0 ? 'Payments imported' : 'No new payments'}
      </h2>
      <p role="status">{importSummary(report)}</p>
      {(toAccept > 0 || needLook > 0) && (
        <p className={styles.next}>
          {toAccept > 0 && (
            <Link className={button.button} to={paymentsHref('accept')}>
              Review {count(toAccept)} to accept
            </Link>
          )}
          {needLook > 0 && (
            <Link className={button.button} to={paymentsHref('look')}>
              View {count(needLook)} that {needLook === 1 ? 'needs' : 'need'} a look
            </Link>
          )}
        </p>
      )}
      <Reversed payments={report.reversed}>
        Completed in an earlier file, but not in this one. They no longer count as paid. Check them
        in the payment app.
      </Reversed>
      <Reversed payments={report.stillReversed}>
        Completed in this file, but reversed by an earlier import. They still don’t count as paid.
        Check them in the payment app.
      </Reversed>
      <Skipped {...report} />
    </section>
  );
}

function Reversed({ payments, children }: { payments: Report['reversed']; children: string }) {
  if (payments.length === 0) return null;
  return (
    <div className={text.error}>
      <p>{children}</p>
      <ul className={styles.payments}>
        {payments.slice(0, REVERSED_SHOWN).map(({ id, amountCents, note }) => (
          <li key={id}>
            {dollars(amountCents / 100)} <code>{note}</code>
          </li>
        ))}
      </ul>
      {payments.length > REVERSED_SHOWN && (
        <p>
          {count(payments.length - REVERSED_SHOWN)} more are listed as {MATCH_LABEL.reversed.word}.
        </p>
      )}
    </div>
  );
}

/** Rows that were not imported. Open if any could not be read: a payment may be missing. */
function Skipped({ skipped, outgoing, other, incomplete, unreadable }: Report) {
  if (skipped.length === 0) return null;
  const total = outgoing + other + incomplete + unreadable.length;
  return (
    <details open={unreadable.length > 0}>
      <summary>
        Skipped rows: {count(total)}
        {total > skipped.length && `, the first ${count(skipped.length)} are shown`}
      </summary>
      <DataTable
        inCard
        className={styles.skipped}
        caption="Skipped rows, in the order of the file"
        rows={skipped}
        id={({ line, why }) => `${line} ${why}`}
        columns={SKIPPED_COLUMNS}
      />
    </details>
  );
}

const SKIPPED_COLUMNS: Column<Report['skipped'][number]>[] = [
  { head: 'Line', kind: 'word', cell: ({ line }) => count(line) },
  { head: 'Reason', cell: ({ why }) => why },
  {
    head: 'Row',
    kind: 'text',
    cell: ({ cells }) =>
      cells.some((cell) => cell !== '') ? (
        cells.join(' · ')
      ) : (
        <span className={text.secondary}>not shown: it may contain names</span>
      ),
  },
];
