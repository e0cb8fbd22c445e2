import { COMPLETED, paymentsHref, type DateOrder } from '#server/payments/payments.schema.ts';
import card from '#app/ui/card.module.css';
import { DataTable } from '#app/ui/data-table.tsx';
import { ActionForm, FormField, useFocusOnAnswer } from '#app/ui/form.tsx';
import text from '#app/ui/text.module.css';
import styles from './mapping-form.module.css';
import type { UnknownExport } from './payments.server.ts';

const FIELDS = [
  { name: 'date', label: 'Date', required: true },
  { name: 'amount', label: 'Amount', required: true },
  { name: 'note', label: 'Note: what the payer wrote', required: true },
  { name: 'id', label: 'Transaction ID', none: 'None in this file' },
  { name: 'currency', label: 'Currency', none: 'None: all are US dollars' },
  { name: 'state', label: 'State', none: 'None: all are completed' },
];

const ORDERS: Record<DateOrder, string> = {
  ymd: 'year-month-day: 2026-11-20',
  dmy: 'day.month.year: 20.11.2026',
  mdy: 'month/day/year: 11/20/2026',
};

/** Asks which columns of an export hold what, for a file that isn't the payment app's. */
export function MappingForm({ file }: { file: UnknownExport }) {
  const { content, columns: sent, headLine, sample, chosen, problem } = file;
  // A problem takes the focus itself.
  const heading = useFocusOnAnswer(problem ? null : sample);
  const names = columnNames(sent);
  const columns = names.map((name, at) => ({
    head: name,
    className: styles.cell,
    cell: ({ cells }: SampleRow) => cells[at],
  }));
  return (
    <section className={card.padded} aria-labelledby="mapping">
      <h2 id="mapping" ref={heading} tabIndex={-1}>
        Choose columns
      </h2>
      <p className={text.secondary}>
        Only the payment app’s own columns are recognised automatically.{' '}
        {!problem && 'Nothing is stored yet. '}
        {headLine !== null && (
          <>Line {headLine} is used as the header, and the lines above it are ignored. </>
        )}
        These are the first rows:
      </p>
      <div className={styles.sample} role="region" aria-label="First rows" tabIndex={0}>
        <DataTable
          caption="First rows"
          cards={false}
          rows={sample.map((cells, row) => ({ cells, row }))}
          id={({ row }) => String(row)}
          columns={columns}
        />
      </div>
      <ActionForm
        intent="map"
        action={paymentsHref('imports')}
        problem={problem}
        submitLabel="Import with these columns"
        look="primary"
        encType="multipart/form-data"
      >
        <input type="hidden" name="content" value={content} />
        <div className={styles.fields}>
          {FIELDS.map(({ name, label, required, none }) => (
            <FormField key={name} label={label} name={name}>
              {(field) => (
                <select {...field} required={required} defaultValue={chosen[name] ?? ''}>
                  <option value="">{none ?? 'Choose a column'}</option>
                  {names.map((column, at) => (
                    <option key={column} value={at}>
                      {column}
                    </option>
                  ))}
                </select>
              )}
            </FormField>
          ))}
          <FormField label="Date format" name="order">
            {(field) => (
              <select {...field} required defaultValue={chosen['order'] ?? ''}>
                <option value="">Choose a format</option>
                {Object.entries(ORDERS).map(([order, example]) => (
                  <option key={order} value={order}>
                    {example}
                  </option>
                ))}
              </select>
            )}
          </FormField>
        </div>
        <p className={text.secondary}>
          Times without a time zone are read as UTC. Without transaction IDs, payments are
          distinguished by date, amount and note. Only these states count as completed:{' '}
          {COMPLETED.join(', ')}.
        </p>
      </ActionForm>
    </section>
  );
}

interface SampleRow {
  row: number;
  cells: string[];
}

/** A column without a name, or with the same name as another one, is named by its position. */
const columnNames = (columns: string[]): string[] =>
  columns.map((column, at) =>
    column === ''
      ? `Column ${at + 1}`
      : columns.indexOf(column) === columns.lastIndexOf(column)
        ? column
        : `${column} (column ${at + 1})`,
  );
