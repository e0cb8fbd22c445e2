import { Compute, type ComputesHead } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { csv, csvLines } from '#app/lib/csv.server.ts';
import { download } from '#app/lib/download.server.ts';
import type { RequestContext } from '#server/entry/context.ts';
import type { TaggedFile } from '#server/entry/rest/engine.ts';
import type { TextPart } from '#server/live/index.ts';
import { parseQuery } from './directory-query.ts';
import { totalsOf } from './select-computes.ts';
import { showInSlices } from './show-in-slices.server.ts';

/** A file with every row that the directory finds for a query, not only one page. */
type Download = (args: {
  context: Pick<RequestContext, 'services' | 'limits' | 'client'>;
  request: Request;
}) => Promise<TaggedFile>;

/** The fields of a row of the REST interface, in its order. */
const COLUMNS = Object.keys(Compute.shape) as (keyof Compute)[];

/** Rows in a part of a file, which is made in one turn of the event loop: some milliseconds. */
const PART = 1000;

export const computesCsv: Download = (args) =>
  fileOf(args, 'csv', {
    begin: () => ({ text: csv(COLUMNS, []) }),
    rows: (rows) => csvLines(COLUMNS, rows),
    end: '',
  });

/** In the format of GET /api/registry/computes, with `stats` of the rows in the file. */
export const computesJson: Download = (args) =>
  fileOf(args, 'json', {
    begin(head) {
      const text = `${JSON.stringify(head).slice(0, -1)},"computes":[`;
      // The same rows at another moment are nothing new.
      return { text, tagged: text.replace(JSON.stringify(head.updatedAt), '') };
    },
    rows: (rows, isFirst) => (isFirst ? '' : ',') + JSON.stringify(rows).slice(1, -1),
    end: ']}',
  });

interface Format {
  begin: (head: ComputesHead) => TextPart;
  rows: (rows: Compute[], isFirst: boolean) => string;
  end: string;
}

async function fileOf(
  { context: { services, limits, client }, request }: Parameters<Download>[0],
  format: 'csv' | 'json',
  { begin, rows, end }: Format,
): Promise<TaggedFile> {
  const query = parseQuery(new URL(request.url).searchParams);
  // Only the file of a comparison has it: in the directory it chooses rows, and filters none.
  const isCompared = ({ id, name }: Compute) =>
    query.compare.includes(id) || query.compare.includes(name);
  const body = await services.computes.file(
    `${format} ${JSON.stringify({ ...query, page: 1 })}`,
    async function* (list) {
      const nodeOf = await services.nodes.ofOffers();
      const selected = await showInSlices(list, query, nodeOf);
      const shown = query.compare.length > 0 ? selected.rows.filter(isCompared) : selected.rows;
      const { nodes: _, ...stats } = shown === selected.rows ? selected.found : totalsOf(shown);
      yield begin({ ...list.head, stats });
      for (let at = 0; at < shown.length; at += PART)
        yield { text: rows(shown.slice(at, at + PART), at === 0) };
      yield { text: end };
    },
    {
      client: client(),
      signal: request.signal,
      count: (offers) => limits.countScan(client(), 'downloads', offers),
    },
  );
  return download('computes', services.computes.updatedAt(), format, body);
}
