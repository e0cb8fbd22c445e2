import type { RequestContext } from '#server/entry/context.ts';
import { invalid } from '#server/common/errors.schema.ts';
import { historyQueryIssues, readHistoryQuery } from '#server/audit/history.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';
import { historyCsv } from '#app/features/review/history/history.server.ts';

/** GET /review/history.csv: every entry that the filter of /review/history matches, for a spreadsheet. */
async function download(context: RequestContext, request: Request): Promise<Response> {
  // Answers 401 instead of redirecting to sign in as a page does: a browser would save that page as the file.
  await context.requireReviewer();
  const query = new URL(request.url).searchParams;
  const issues = historyQueryIssues(query);
  if (issues.length > 0) throw invalid('invalid_query', issues);
  const { before: _, after: __, ...filter } = readHistoryQuery(query);
  return new Response(await historyCsv(context, filter), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="history-${new Date().toISOString().slice(0, 10)}.csv"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'x-request-id': context.requestId,
    },
  });
}

const { loader, action } = endpoint({
  file: ({ context, request }) => download(context, request),
  reviewersOnly: true,
});
export { loader, action };
