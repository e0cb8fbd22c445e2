import { Compute, type Computes } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { csv } from '#app/lib/csv.server.ts';
import type { RequestContext } from '#server/entry/context.ts';
import { parseQuery } from './directory-query.ts';
import { selectComputes, totalsOf } from './select-computes.ts';

/** A file with every row that the directory finds for a query, not only one page. */
type Download = (args: {
  context: Pick<RequestContext, 'services' | 'requestId'>;
  request: Request;
}) => Response;

/** The fields of a row of the REST interface, in its order. */
const COLUMNS = Object.keys(Compute.shape) as (keyof Compute)[];

export const computesCsv: Download = ({ context, request }) =>
  download(context, request, 'csv', 'text/csv; charset=utf-8; header=present', ({ computes }) =>
    csv(COLUMNS, computes),
  );

/** In the format of GET /api/registry/computes, with `stats` of the rows in the file. */
export const computesJson: Download = ({ context, request }) =>
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
  const { rows } = selectComputes(computes, parseQuery(new URL(request.url).searchParams));
  const { nodes: _, ...stats } = totalsOf(rows);
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
