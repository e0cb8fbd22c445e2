import type { AppLoadContext, LoaderFunctionArgs } from '@remix-run/node';
import { invalid, toAppError } from '#server/common/errors.schema.ts';
import {
  readHistoryQuery,
  wrongInHistoryQuery,
  type HistoryFilter,
} from '#server/review/history.schema.ts';
import type { HistoryEntry } from '#server/review/index.ts';
import { csvStream } from '#app/lib/csv.server.ts';

const COLUMNS = ['at', 'event', 'subject', 'note', 'nodeId', 'actor', 'reason'] as const;

/** The whole history that the filter of /review/history leaves, newest first, as fast as it is read. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  // Not sent to sign in, as from a page: a browser would keep that page as the file.
  await context.requireReviewer();
  const query = new URL(request.url).searchParams;
  const issues = wrongInHistoryQuery(query);
  if (issues.length > 0) throw invalid('invalid_query', issues);
  const filter = readHistoryQuery(query);
  return new Response(csvStream(COLUMNS, parts(context, filter)), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="history-${new Date().toISOString().slice(0, 10)}.csv"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    },
  });
}

async function* parts({ services, log, requestId }: AppLoadContext, filter: HistoryFilter) {
  try {
    for await (const entries of services.history.export(filter)) yield entries.map(row);
  } catch (thrown) {
    const { code, cause } = toAppError(thrown);
    log[code === 'internal' ? 'error' : 'warn'](
      { requestId, code, err: cause },
      'the download of the history broke off',
    );
    // The HTTP server prints what breaks an answer off: nothing of the query and its values goes there.
    throw new Error('The download of the history broke off.');
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
