import {
  data,
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { useLoaderData, useLocation } from '@remix-run/react';
import { useState } from 'react';
import type { z } from 'zod';
import { AppError, ERROR_STATUS, isAppError } from '#server/common/errors.schema.ts';
import { BULK_ACCEPT_MAX, FILE_BYTES, readPaymentQuery } from '#server/payments/payments.schema.ts';
import type { Mapping } from '#server/payments/import.schema.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import {
  ImportResult,
  MappingForm,
  UploadForm,
  type UnknownExport,
} from '#app/features/review/payments/payments-import.tsx';
import { PaymentsList } from '#app/features/review/payments/payments-list.tsx';
import { AcceptTogether, Outcomes } from '#app/features/review/payments/bulk-accept.tsx';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { textOf } from '#app/lib/form-action.server.ts';
import { requireReviewer, handleReviewForm } from '#app/features/review/review.server.ts';

/** Payments: import an export, see what matches, accept together what is paid. */
export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const { payments } = args.context.services;
  const params = new URL(args.request.url).searchParams;
  const query = readPaymentQuery(params);
  const done = (params.get('done') ?? '').replaceAll('\0', '').split(',').slice(0, BULK_ACCEPT_MAX);
  const [list, waiting, outcomes] = await Promise.all([
    payments.list(query),
    payments.paidAndWaiting(),
    payments.outcomes(done),
  ]);
  return { ...list, query, waiting, outcomes, updatedAt: new Date().toISOString() };
}

/**
 * Larger than a file may be: its content comes back through the mapping form, grown by the encoding; and a
 * browser shows the answer to a file that is somewhat too large only if all of it was read.
 */
const UPLOAD_BYTES = 4 * FILE_BYTES;

export function action(args: ActionFunctionArgs) {
  const { context } = args;
  const { payments } = context.services;
  return handleReviewForm(
    args,
    async (form, { email }) => {
      if (form.get('intent') === 'accept') {
        const notes = textsOf(form, 'note').slice(0, BULK_ACCEPT_MAX);
        if (notes.length === 0) throw new AppError('invalid_body', 'Choose at least one of them.');
        await payments.accept(notes, email);
        return redirect(`/review/payments?done=${notes.map(encodeURIComponent).join(',')}`, 303);
      }
      const mapped = form.get('intent') === 'map';
      const columns = Object.fromEntries(MAPPED.map((name) => [name, textOf(form, name)]));
      const text = textOf(form, 'content');
      const upload = mapped
        ? // The schema reads numbers from the texts of a form.
          { text, mapping: columns as unknown as z.input<typeof Mapping> }
        : { file: form.get('file') as File };
      let status = 400;
      const file = await context.api.review.payments.import(upload).catch((error: unknown) => {
        // Only this form has the content: whatever was wrong, it is sent back.
        if (!mapped || !isAppError(error)) throw error;
        context.error = error;
        status = ERROR_STATUS[error.code];
        const refused = { error: error.message, issues: error.issues ?? [] };
        return { kind: 'unknown' as const, ...payments.preview(text), text, guessed: {}, refused };
      });
      // The report is stored nowhere: it is the answer itself. Sending the file again changes nothing.
      if (file.kind === 'imported') return data(file);
      const { headLine, sample, guessed, refused } = file;
      const unknown: UnknownExport = {
        content: file.text,
        columns: file.columns,
        headLine,
        sample,
        chosen: mapped
          ? columns
          : Object.fromEntries(Object.entries(guessed).map(([name, at]) => [name, String(at)])),
        problem: refused
          ? {
              error: refused.error,
              fields: Object.fromEntries(
                refused.issues.map(({ path, message }) => [path.replace('mapping.', ''), message]),
              ),
            }
          : undefined,
      };
      return data({ kind: 'unknown' as const, ...unknown }, { status: refused ? status : 200 });
    },
    { limit: UPLOAD_BYTES },
  );
}

/** What was ticked. The database takes no NUL. */
const textsOf = (form: FormData, name: string) =>
  form.getAll(name).map((value) => (typeof value === 'string' ? value.replaceAll('\0', '') : ''));

const MAPPED = ['date', 'order', 'amount', 'note', 'id', 'currency', 'state'];

export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'Payments · Mesh Registry' }];

export default function Payments() {
  const { all, counts, page, payments, query, waiting, outcomes, updatedAt } =
    useLoaderData<typeof loader>();
  const answer = useFormResult<typeof action>('');
  // A form that was answered has a key of its own, and a refresh has none.
  const { key } = useLocation();
  const [opened] = useState(key);
  const accepting = waiting.total > 0 ? formErrorOf(answer, { intent: 'accept' }) : undefined;
  const imported = answer && 'kind' in answer && answer.kind === 'imported' ? answer : null;
  const unknown = useMapping(answer);
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="Payments"
      intro="From the payment app’s export, beside the registration whose note they carry. Nothing is accepted by itself."
    >
      <div className="review-columns">
        <section className="card" aria-labelledby="import">
          <h2 id="import">Import an export</h2>
          <UploadForm problem={accepting || unknown ? undefined : formErrorOf(answer)} />
        </section>
        <div className="records-main">
          {imported && <ImportResult report={imported} />}
          {unknown && <MappingForm {...unknown} key={unknown.content} />}
          {!answer && outcomes.length > 0 && (
            <Outcomes rows={outcomes} of={key === opened ? null : key} />
          )}
          {waiting.total > 0 && <AcceptTogether {...waiting} problem={accepting} />}
          <PaymentsList {...{ all, counts, page, payments, query }} />
        </div>
      </div>
    </ReviewPage>
  );
}

/** The mapping form stays, with the file that it is for, until there is another answer than that it was refused. */
function useMapping(answer: Answer): UnknownExport | null {
  const asked = answer && 'kind' in answer && answer.kind === 'unknown' ? answer : null;
  const problem = formErrorOf(answer, { intent: 'map' });
  const [last, setLast] = useState<UnknownExport | null>(null);
  if (asked && asked !== last) setLast(asked);
  if (asked || !last || !problem) return asked;
  return { ...last, chosen: problem.values, problem };
}

type Answer = ReturnType<typeof useFormResult<typeof action>>;
