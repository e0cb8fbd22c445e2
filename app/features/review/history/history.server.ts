import type { LoaderFunctionArgs } from '@remix-run/node';
import { historyQueryIssues, readHistoryQuery } from '#server/audit/history.schema.ts';
import { invalid, toAppError } from '#server/common/errors.schema.ts';
import type { RequestContext } from '#server/entry/context.ts';
import type { HistoryEntry } from '#server/audit/index.ts';
import { csvStream } from '#app/lib/csv.server.ts';
import { requireReviewer } from '../review.server.ts';

/** GET /review/history: a page of the entries that the URL's filter matches. */
export async function loadHistory(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const { history } = args.context.api.review;
  const query = readHistoryQuery(new URL(args.request.url).searchParams);
  const { before: _, after: __, ...filter } = query;
  const [page, actors] = await Promise.all([history.page(query), history.actors()]);
  return { ...page, actors, filter, updatedAt: new Date().toISOString() };
}

const COLUMNS = ['at', 'event', 'subject', 'note', 'nodeId', 'actor', 'reason'] as const;

/**
 * Every entry that the filter matches, newest first, sent as it is read.
 * @throws AppError `unauthorized`, `invalid_query`
 */
export async function historyCsv(
  context: RequestContext,
  params: URLSearchParams,
): Promise<ReadableStream<Uint8Array>> {
  const issues = historyQueryIssues(params);
  if (issues.length > 0) throw invalid('invalid_query', issues);
  const { before: _, after: __, ...filter } = readHistoryQuery(params);
  const batches = await context.api.review.history.export(filter);
  return csvStream(COLUMNS, rowsOf(batches, context));
}

async function* rowsOf(
  batches: AsyncIterable<HistoryEntry[]>,
  { log, requestId }: Pick<RequestContext, 'log' | 'requestId'>,
) {
  try {
    for await (const entries of batches) yield entries.map(row);
  } catch (thrown) {
    const { code, cause } = toAppError(thrown);
    log[code === 'internal' ? 'error' : 'warn'](
      { requestId, code, err: cause },
      'history download failed',
    );
    // The HTTP server logs the error that cuts a response off, so it must not contain the query and its values.
    throw new Error('The history download failed.');
  }
}

const row = ({ at, event, subject, note, nodeId, actor, reason }: HistoryEntry) => ({
  at: at.toISOString(),
  event,
  subject,
  note: note ?? '',
  nodeId: nodeId ?? '',
  actor,
  reason: reason ?? '',
});
