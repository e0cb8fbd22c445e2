import { Compute, type Computes } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { csv } from '#app/lib/csv.server.ts';
import type { RequestContext } from '#server/entry/context.ts';
import type { TaggedFile } from '#server/entry/rest/engine.ts';
import { parseQuery } from './directory-query.ts';
import { selectComputes, totalsOf } from './select-computes.ts';

/** A file with every row that the directory finds for a query, not only one page. */
type Download = (args: {
  context: Pick<RequestContext, 'services'>;
  request: Request;
}) => TaggedFile;

/** The fields of a row of the REST interface, in its order. */
const COLUMNS = Object.keys(Compute.shape) as (keyof Compute)[];

export const computesCsv: Download = ({ context, request }) =>
  download(context, request, 'csv', 'text/csv; charset=utf-8; header=present', ({ computes }) => ({
    body: csv(COLUMNS, computes),
  }));

/** In the format of GET /api/registry/computes, with `stats` of the rows in the file. */
export const computesJson: Download = ({ context, request }) =>
  download(context, request, 'json', 'application/json; charset=utf-8', (answer) => {
    const body = JSON.stringify(answer);
    // The same rows at another moment are nothing new.
    return { body, tagged: body.replace(JSON.stringify(answer.updatedAt), '') };
  });

function download(
  { services }: Pick<RequestContext, 'services'>,
  request: Request,
  extension: string,
  contentType: string,
  write: (answer: Computes) => Pick<TaggedFile, 'body' | 'tagged'>,
): TaggedFile {
  const { head, computes } = services.computes.list();
  const { rows } = selectComputes(computes, parseQuery(new URL(request.url).searchParams));
  const { nodes: _, ...stats } = totalsOf(rows);
  return {
    contentType,
    headers: {
      'content-disposition': `attachment; filename="computes-${head.updatedAt.slice(0, 10)}.${extension}"`,
      'cache-control': 'no-cache',
      'access-control-expose-headers': 'content-disposition, etag, retry-after, x-request-id',
    },
    ...write({ ...head, stats, computes: rows }),
  };
}
