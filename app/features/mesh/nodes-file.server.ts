import { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { csv, csvLines } from '#app/lib/csv.server.ts';
import { download } from '#app/lib/download.server.ts';
import type { RequestContext } from '#server/entry/context.ts';
import type { TaggedFile } from '#server/entry/rest/engine.ts';
import { parseMeshQuery } from '#server/mesh/mesh-query.schema.ts';

/** The fields of a node of the REST interface, in its order. */
const COLUMNS = Object.keys(Peer.shape) as (keyof Peer)[];

/** GET /nodes.csv: every node that the map's list finds for the same query, in its order. */
export async function nodesCsv({
  context: { services, limits, client },
  request,
}: {
  context: Pick<RequestContext, 'services' | 'limits' | 'client'>;
  request: Request;
}): Promise<TaggedFile> {
  const { mesh } = services;
  const query = parseMeshQuery(new URL(request.url).searchParams);
  const body = await mesh.file(
    query,
    query,
    async function* (parts) {
      yield { text: csv(COLUMNS, []) };
      for await (const peers of parts) yield { text: csvLines(COLUMNS, peers) };
    },
    {
      client: client(),
      signal: request.signal,
      count: (nodes) => limits.countScan(client(), 'downloads', nodes),
    },
  );
  return download('nodes', mesh.updatedAt(), 'csv', body);
}
