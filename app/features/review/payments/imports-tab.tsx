import { Link } from '@remix-run/react';
import { useMemo, useState } from 'react';
import { FILE_BYTES, paymentsHref, type PaymentQuery } from '#server/payments/payments.schema.ts';
import { formErrorOf, type FormError } from '#app/lib/form-error.ts';
import type { useFormResult } from '#app/lib/use-form-result.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import card from '#app/ui/card.module.css';
import { ActionForm, FormField } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { ListWithForm } from '../list-card.tsx';
import { ReviewerName } from '../row-parts.tsx';
import { ImportReport } from './import-report.tsx';
import styles from './imports-tab.module.css';
import { MappingForm } from './mapping-form.tsx';
import { PaymentsList } from './payments-list.tsx';
import type { PastImport, paymentsAction, PaymentsPage, UnknownExport } from './payments.server.ts';

type Answer = ReturnType<typeof useFormResult<typeof paymentsAction>>;

interface ImportsTabProps {
  answer: Answer;
  query: PaymentQuery;
  list: PaymentsPage;
  pastImports: PastImport[];
  toAccept: number;
  needLook: number;
}

/** Imports an export, and lists every payment that was imported. */
export function ImportsTab({
  answer,
  query,
  list,
  pastImports,
  toAccept,
  needLook,
}: ImportsTabProps) {
  const report = answer && 'kind' in answer && answer.kind === 'imported' ? answer : null;
  const unknown = useUnknownExport(answer);
  return (
    <ListWithForm
      form={
        <Panel title="Import payments">
          <UploadForm problem={unknown ? undefined : formErrorOf(answer)} />
        </Panel>
      }
      after={pastImports.length > 0 && <PastImports imports={pastImports} />}
    >
      {report && <ImportReport {...{ report, toAccept, needLook }} />}
      {unknown && <MappingForm file={unknown} key={unknown.content} />}
      <section className={card.padded} aria-labelledby="payments">
        <PaymentsList title="Imported payments" tab="imports" {...{ query, list }} />
      </section>
    </ListWithForm>
  );
}

/**
 * The mapping form stays, with the file that it is for, while it is refused or its answer is lost: only this page
 * has the content of the file.
 */
function useUnknownExport(answer: Answer): UnknownExport | null {
  const asked = answer && 'kind' in answer && answer.kind === 'unknown' ? answer : null;
  const problem = formErrorOf(answer, { intent: 'map' });
  const [last, setLast] = useState<UnknownExport | null>(null);
  if (asked && asked !== last) setLast(asked);
  if (asked || !last || !problem) return asked;
  return { ...last, chosen: problem.values, problem };
}

function PastImports({ imports }: { imports: PastImport[] }) {
  return (
    <Panel title="Past imports">
      <ul className={styles.imports}>
        {imports.map(({ id, at, actor, reason }) => (
          <li key={id}>
            <RelativeTime at={at.toISOString()} /> by <ReviewerName email={actor} />
            <span className={text.remark}>{reason}</span>
          </li>
        ))}
      </ul>
      <Link to={hrefs.review.history({ event: 'payments_imported' })}>View all in the history</Link>
    </Panel>
  );
}

const MEGABYTES = FILE_BYTES / 1024 / 1024;
const TOO_LARGE = `The file is larger than ${MEGABYTES} MB. Export a shorter period.`;

/** Sends an export. Works without scripts: the browser sends the file. */
function UploadForm({ problem }: { problem: FormError | undefined }) {
  const shown = useMemo(
    () =>
      problem?.code === 'payload_too_large' && !problem.fields['file']
        ? { ...problem, error: TOO_LARGE }
        : problem,
    [problem],
  );
  return (
    <ActionForm
      intent="import"
      action={paymentsHref('imports')}
      problem={shown}
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
              target.setCustomValidity((target.files?.[0]?.size ?? 0) > FILE_BYTES ? TOO_LARGE : '')
            }
          />
        )}
      </FormField>
      <p className={text.secondary}>
        The payment app’s export, or any bank’s. We store the date, amount, note and transaction ID
        of incoming payments, and nothing else. Importing the same file twice changes nothing.
      </p>
    </ActionForm>
  );
}
