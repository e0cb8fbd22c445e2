import type { LoaderFunctionArgs } from '@remix-run/node';
import { readHistoryQuery } from '../../server/schemas/history.ts';
import { csv } from '../csv.server.ts';

const COLUMNS = ['at', 'event', 'subject', 'note', 'nodeId', 'actor', 'reason'] as const;

/** The whole history that the filter of /review/history leaves, newest first. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  // Not sent to sign in, as from a page: a browser would keep that page as the file.
  await context.requireReviewer();
  const rows: Record<(typeof COLUMNS)[number], string>[] = [];
  const filter = readHistoryQuery(new URL(request.url).searchParams);
  for await (const entries of context.services.history.whole(filter))
    for (const { at, event, subject, note, nodeId, actor, reason } of entries)
      rows.push({
        at: at.toISOString(),
        event,
        subject,
        note: note ?? '',
        nodeId: nodeId ?? '',
        actor,
        reason: reason ?? '',
      });
  return new Response(csv(COLUMNS, rows), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="history-${new Date().toISOString().slice(0, 10)}.csv"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    },
  });
}
