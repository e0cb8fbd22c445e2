import type { Compute, Computes } from '#server/computes/computes.schema.ts';
import { parseQuery, select, totalsOf } from './query.ts';
import { csv } from '#app/lib/csv.server.ts';
import type { RequestContext } from '#server/http/request-context.ts';

/** What the directory shows for a query, as a file: every row of it, not only a page. */

type Download = (
  context: Pick<RequestContext, 'services' | 'requestId'>,
  args: { request: Request },
) => Response;

/** The columns are the fields of a row in the REST interface, in its order. */
const COLUMNS = [
  'id',
  'name',
  'nodeId',
  'label',
  'image',
  'visibility',
  'class',
  'backend',
  'replicas',
  'freeSlots',
  'status',
  'lastSeen',
  'firstSeen',
] as const satisfies (keyof Compute)[];

export const computesCsv: Download = (context, { request }) =>
  download(context, request, 'csv', 'text/csv; charset=utf-8; header=present', ({ computes }) =>
    csv(COLUMNS, computes),
  );

/** The shape of GET /api/registry/computes; `stats` are over the rows in the file, as there. */
export const computesJson: Download = (context, { request }) =>
  download(context, request, 'json', 'application/json; charset=utf-8', (answer) =>
    JSON.stringify(answer),
  );

function download(
  { services, requestId }: Pick<RequestContext, 'services' | 'requestId'>,
  request: Request,
  extension: string,
  contentType: string,
  write: (answer: Computes) => string,
): Response {
  const { head, computes } = services.computes.list();
  const { rows } = select(computes, parseQuery(new URL(request.url).searchParams));
  const { nodes: _, freeReplicas: __, ...stats } = totalsOf(rows);
  return new Response(write({ ...head, stats, computes: rows }), {
    headers: {
      'content-type': contentType,
      'content-disposition': `attachment; filename="computes-${head.updatedAt.slice(0, 10)}.${extension}"`,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
    },
  });
}
