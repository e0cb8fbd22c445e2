import { Link } from '@remix-run/react';
import { useState } from 'react';
import type { PaymentQuery } from '#server/payments/payments.schema.ts';
import { hrefs } from '#app/lib/hrefs.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import type { useFormResult } from '#app/lib/use-form-result.ts';
import card from '#app/ui/card.module.css';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import text from '#app/ui/text.module.css';
import { ListWithForm } from '../list-with-form.tsx';
import { ReviewerName } from '../reviewer-name.tsx';
import { ImportReport } from './import-report.tsx';
import styles from './imports-tab.module.css';
import { MappingForm } from './mapping-form.tsx';
import { PaymentsList } from './payments-list.tsx';
import type { PastImport, PaymentsPage, paymentsAction, UnknownExport } from './payments.server.ts';
import { UploadForm } from './upload-form.tsx';

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
            <span className={`${text.secondary} ${styles.reason}`}>{reason}</span>
          </li>
        ))}
      </ul>
      <Link to={hrefs.review.history({ event: 'payments_imported' })}>View all in the history</Link>
    </Panel>
  );
}
