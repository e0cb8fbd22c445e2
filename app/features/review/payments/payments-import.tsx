import { useEffect, useRef } from 'react';
import { COMPLETED, FILE_BYTES, type DateOrder } from '#server/payments/payments.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { count, dollars } from '#app/lib/formatters.ts';
import { ActionForm, FormField, type FormProblem } from '#app/ui/form.tsx';
import { MATCH_WORDS, reportWords, type ImportReport } from './labels.ts';

/** The ways of an export into the list: the file, where its columns are, what became of it. */

/**
 * For a heading that takes the focus: keyboard and screen reader go on below it.
 * @param answer that its section is about; the focus moves with every new one, and not where there is none
 */
function useFocused(answer: object | null) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (answer) heading.current?.focus();
  }, [answer]);
  return heading;
}

const MEGABYTES = FILE_BYTES / 1024 / 1024;

/** A form that works without scripts: the browser sends the file. */
export function UploadForm({ problem }: { problem: FormError | undefined }) {
  const tooLarge = problem?.code === 'payload_too_large' && !problem.fields['file'];
  return (
    <ActionForm
      intent="import"
      problem={problem}
      message={
        tooLarge ? `The file is larger than ${MEGABYTES} MB. Export a shorter time.` : undefined
      }
      submitLabel="Import"
      look="primary"
      encType="multipart/form-data"
    >
      <FormField label="CSV file" name="file" hint={`At most ${MEGABYTES} MB.`}>
        {(field) => (
          <input
            {...field}
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            required
            onChange={({ target }) =>
              target.setCustomValidity(
                (target.files?.[0]?.size ?? 0) > FILE_BYTES ? `Larger than ${MEGABYTES} MB` : '',
              )
            }
          />
        )}
      </FormField>
      <p className="secondary">
        Kept are date, amount, note and transaction id of payments that came in, and nothing else.
        The same file twice changes nothing, and completes an import that broke off.
      </p>
    </ActionForm>
  );
}

export interface UnknownExport {
  content: string;
  columns: string[];
  /** The line of the head, where something stands above it. */
  headLine: number | null;
  sample: string[][];
  /** The number of a column, or how dates are written, by field; as chosen before, or as the head lets one suppose. */
  chosen: Partial<Record<string, string>>;
  problem?: FormProblem | undefined;
}

const COLUMNS = [
  { name: 'date', label: 'Date', needed: true },
  { name: 'amount', label: 'Amount', needed: true },
  { name: 'note', label: 'Note: what the payer wrote', needed: true },
  { name: 'id', label: 'Transaction id', none: 'none in this file' },
  { name: 'currency', label: 'Currency', none: 'none: US dollars' },
  { name: 'state', label: 'State', none: 'none: all are completed' },
];

const ORDERS: Record<DateOrder, string> = {
  ymd: 'year-month-day: 2026-11-20',
  dmy: 'day.month.year: 20.11.2026',
  mdy: 'month/day/year: 11/20/2026',
};

/** For a file that is not the payment app's: a person says where its columns are. */
export function MappingForm({
  content,
  columns,
  headLine,
  sample,
  chosen,
  problem,
}: UnknownExport) {
  // What is wrong takes the focus itself.
  const heading = useFocused(problem ? null : sample);
  return (
    <section className="card" aria-labelledby="mapping">
      <h2 id="mapping" ref={heading} tabIndex={-1}>
        Where are the columns?
      </h2>
      <p className="secondary">
        Only the payment app’s own export is understood by itself.{' '}
        {!problem && 'Nothing is kept yet. '}
        {headLine !== null && (
          <>Line {headLine} is taken for its head, and what is above it is left out. </>
        )}
        These are its first rows:
      </p>
      <div className="records-sample" role="region" aria-label="The first rows" tabIndex={0}>
        <table className="table">
          <thead>
            <tr>
              {columns.map((column, at) => (
                <th key={at} scope="col">
                  {column || `column ${at + 1}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sample.map((cells, row) => (
              <tr key={row}>
                {columns.map((_, at) => (
                  <td key={at}>{cells[at]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ActionForm
        intent="map"
        problem={problem}
        submitLabel="Import these columns"
        look="primary"
        encType="multipart/form-data"
      >
        <input type="hidden" name="content" value={content} />
        <div className="records-fields">
          {COLUMNS.map(({ name, label, needed, none }) => (
            <FormField key={name} label={label} name={name}>
              {(field) => (
                <select {...field} required={needed} defaultValue={chosen[name] ?? ''}>
                  <option value="">{none ?? 'choose a column'}</option>
                  {columns.map((column, at) => (
                    <option key={at} value={at}>
                      {column || `column ${at + 1}`}
                    </option>
                  ))}
                </select>
              )}
            </FormField>
          ))}
          <FormField label="Dates are written" name="order">
            {(field) => (
              <select {...field} required defaultValue={chosen['order'] ?? ''}>
                <option value="">choose how</option>
                {Object.entries(ORDERS).map(([order, words]) => (
                  <option key={order} value={order}>
                    {words}
                  </option>
                ))}
              </select>
            )}
          </FormField>
        </div>
        <p className="secondary">
          A time without a zone is taken as UTC. Without a transaction id, date, amount and note
          make one. Completed is a row whose state is one of these words: {COMPLETED.join(', ')}.
          Every other state counts as not completed.
        </p>
      </ActionForm>
    </section>
  );
}

/** More than these nobody reads here. */
const SHOWN_ROWS = 50;

export function ImportResult({ report }: { report: ImportReport }) {
  const { unreadable, undone, stillUndone } = report;
  const heading = useFocused(report);
  return (
    <section className="card" aria-labelledby="imported">
      <h2 id="imported" ref={heading} tabIndex={-1}>
        {report.fresh > 0 ? 'Imported' : 'Nothing new in this file'}
      </h2>
      <p role="status">{reportWords(report)}</p>
      <ToLookAt payments={undone}>
        Completed in an earlier file, and no more in this one: they count no longer. Look at them in
        the payment app.
      </ToLookAt>
      <ToLookAt payments={stillUndone}>
        Known, but taken back by an earlier file: they still do not count, although this file has
        them as completed. Which of the files is newer is not known here. Look at them in the
        payment app.
      </ToLookAt>
      {unreadable.length > 0 && (
        <>
          <p>Not readable, and not kept:</p>
          <ul className="records-lines">
            {unreadable.slice(0, SHOWN_ROWS).map(({ line, why }) => (
              <li key={line}>
                line {line}: {why}
              </li>
            ))}
            {unreadable.length > SHOWN_ROWS && (
              <li>and {count(unreadable.length - SHOWN_ROWS)} more</li>
            )}
          </ul>
        </>
      )}
    </section>
  );
}

function ToLookAt({ payments, children }: { payments: ImportReport['undone']; children: string }) {
  if (payments.length === 0) return null;
  return (
    <>
      <p className="form-error">{children}</p>
      <ul className="records-lines">
        {payments.slice(0, SHOWN_ROWS).map(({ id, amountCents, note }) => (
          <li key={id}>
            {dollars(amountCents / 100)} <code>{note}</code>
          </li>
        ))}
        {payments.length > SHOWN_ROWS && (
          <li>
            and {count(payments.length - SHOWN_ROWS)} more, in the list as{' '}
            {MATCH_WORDS.reversed.word}
          </li>
        )}
      </ul>
    </>
  );
}
