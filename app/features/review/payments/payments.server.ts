import { data, redirect, type ActionFunctionArgs, type LoaderFunctionArgs } from '@remix-run/node';
import type { z } from 'zod';
import { AppError, ERROR_STATUS, isAppError } from '#server/common/errors.schema.ts';
import type { Mapping } from '#server/payments/import.schema.ts';
import type { UnmappedExport } from '#server/payments/index.ts';
import {
  BULK_ACCEPT_MAX,
  FILE_BYTES,
  paymentsHref,
  readPaymentQuery,
  readPaymentTab,
} from '#server/payments/payments.schema.ts';
import { readHistoryQuery } from '#server/audit/history.schema.ts';
import { formValues, runIntent } from '#app/lib/form-action.server.ts';
import type { FormProblem } from '#app/ui/form.tsx';
import { handleReviewForm, requireReviewer } from '../review.server.ts';

/** What the payments page loads, and what its forms do. */

const PAST_IMPORTS = 5;
/** No payment note is longer (characters). */
const NOTE_MAX = 64;

/** Only what the tab shows, and the counts of all tabs. */
export async function loadPayments(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const { payments, history } = args.context.api.review;
  const params = new URL(args.request.url).searchParams;
  const query = readPaymentQuery(params);
  const [waiting, needLook] = await Promise.all([
    payments.paidAndWaiting(),
    payments.countNeedingLook(),
  ]);
  const firstWithWork = waiting.total > 0 ? 'accept' : needLook > 0 ? 'look' : 'imports';
  const tab = readPaymentTab(params) ?? firstWithWork;
  const [list, outcomes, imports] = await Promise.all([
    tab === 'accept' ? null : payments.list({ ...query, needsLook: tab === 'look' }),
    tab === 'accept' ? payments.outcomes({ notes: acceptedNotes(params) }) : [],
    tab === 'imports'
      ? history.page(readHistoryQuery(new URLSearchParams({ event: 'payments_imported' })))
      : null,
  ]);
  return {
    tab,
    query,
    waiting,
    needLook,
    list,
    outcomes,
    pastImports: (imports?.entries ?? []).slice(0, PAST_IMPORTS),
    updatedAt: new Date().toISOString(),
  };
}

export type LoadedPayments = Awaited<ReturnType<typeof loadPayments>>;
export type PaidAndWaiting = LoadedPayments['waiting'];
export type PaidRegistration = PaidAndWaiting['rows'][number];
export type PaymentsPage = NonNullable<LoadedPayments['list']>;
export type PastImport = LoadedPayments['pastImports'][number];

/** The registrations that the form before this page was to accept. */
const acceptedNotes = (params: URLSearchParams): string[] =>
  (params.get('done') ?? '')
    .replaceAll('\0', '')
    .split(',')
    .filter((note) => note !== '' && note.length <= NOTE_MAX)
    .slice(0, BULK_ACCEPT_MAX);

/**
 * Larger than the limit for files: the mapping form sends a file's content encoded, and a browser shows the
 * response to a file that is slightly too large only if all of it was read.
 */
const UPLOAD_BYTES = 4 * FILE_BYTES;

export function paymentsAction(args: ActionFunctionArgs) {
  const work = (form: FormData) =>
    runIntent(form, {
      accept: () => accept(args, form),
      import: () => importFile(args, form),
      map: () => importMapped(args, form),
    });
  return handleReviewForm(args, work, { limit: UPLOAD_BYTES });
}

async function accept({ context }: ActionFunctionArgs, form: FormData) {
  const notes = form
    .getAll('note')
    .map((note) => (typeof note === 'string' ? note.replaceAll('\0', '') : ''))
    .slice(0, BULK_ACCEPT_MAX);
  if (notes.length === 0) throw new AppError('invalid_body', 'Tick at least one registration.');
  await context.api.review.payments.accept({ notes });
  return redirect(`${paymentsHref('accept')}&done=${notes.map(encodeURIComponent).join(',')}`, 303);
}

/** The report is stored nowhere: it is the answer itself. Sending the file again changes nothing. */
async function importFile({ context }: ActionFunctionArgs, form: FormData) {
  const file = await context.api.review.payments.import({ file: form.get('file') as File });
  if (file.kind === 'imported') return data(file);
  const guessed = Object.entries(file.guessed).map(([field, column]) => [field, String(column)]);
  return unknownExport(file, Object.fromEntries(guessed) as Record<string, string>);
}

async function importMapped({ context }: ActionFunctionArgs, form: FormData) {
  const { payments } = context.api.review;
  const { content: text = '', intent: _, ...chosen } = formValues(form);
  // The schema reads numbers from the texts of a form.
  const mapping = chosen as unknown as z.input<typeof Mapping>;
  try {
    const file = await payments.import({ text, mapping });
    return file.kind === 'imported' ? data(file) : unknownExport(file, chosen);
  } catch (error) {
    // Only this form has the content, so it is sent back with every error.
    if (!isAppError(error)) throw error;
    context.error = error;
    const refused = { error: error.message, issues: error.issues ?? [] };
    const file = { ...(await payments.preview({ text })), text, refused };
    return unknownExport(file, chosen, ERROR_STATUS[error.code]);
  }
}

/** An export whose columns a person has to choose. */
export interface UnknownExport {
  kind: 'unknown';
  content: string;
  columns: string[];
  /** The line of the header, if anything is above it. */
  headLine: number | null;
  sample: string[][];
  /** The number of a column, or how dates are written, by field. */
  chosen: Record<string, string>;
  problem?: FormProblem | undefined;
}

function unknownExport(
  file: Omit<UnmappedExport, 'kind' | 'guessed'>,
  chosen: Record<string, string>,
  refusedStatus = 400,
) {
  const { text: content, columns, headLine, sample, refused } = file;
  const problem = refused && {
    error: refused.error,
    fields: Object.fromEntries(
      refused.issues.map(({ path, message }) => [path.replace('mapping.', ''), message]),
    ),
  };
  return data<UnknownExport>(
    { kind: 'unknown', content, columns, headLine, sample, chosen, problem: problem ?? undefined },
    { status: refused ? refusedStatus : 200 },
  );
}
