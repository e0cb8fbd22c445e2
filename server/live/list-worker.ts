import { parentPort } from 'node:worker_threads';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { brotliOptions, gzipOptions, weakTag, type Encoding } from './answer.ts';
import type { ListReply, ListRequest, SentRow } from './list-worker-client.ts';
import { PagedJson } from './paged-json.ts';

/**
 * The program of the worker thread: it joins and compresses large lists. It gets rows as finished JSON, so that it
 * knows nothing of peers or compute offers.
 */
interface List {
  rows: PagedJson<SentRow>;
  /** The bytes of the newest answer, in a buffer that the next one overwrites. */
  body: Buffer;
  size: number;
  etag: string;
  made: number;
}

const lists = new Map<string, List>();

function listOf(name: string): List {
  let list = lists.get(name);
  if (!list) {
    const rows = new PagedJson<SentRow>({
      order: ({ order }) => order,
      render: ({ json }) => json ?? null,
    });
    list = { rows, body: Buffer.alloc(0), size: 0, etag: '', made: 0 };
    lists.set(name, list);
  }
  return list;
}

function join(list: List, before: string, after: string, tag: string): void {
  const { chunks, bytes, digests } = list.rows.at(0);
  list.etag = weakTag([...digests, tag]);
  list.size = Buffer.byteLength(before) + bytes + Buffer.byteLength(after);
  if (list.body.length < list.size) list.body = Buffer.allocUnsafeSlow(Math.ceil(list.size * 1.2));
  let end = list.body.write(before);
  for (const chunk of chunks) end += chunk.copy(list.body, end);
  list.body.write(after, end);
}

/** The bytes in memory of their own, to be handed over. */
function encode({ body, size }: List, encoding: Encoding): Uint8Array<ArrayBuffer> {
  const json = body.subarray(0, size);
  if (encoding === 'identity') return Uint8Array.from(json);
  const chunkSize = 1 << 20;
  const packed =
    encoding === 'br'
      ? brotliCompressSync(json, { ...brotliOptions(size), chunkSize })
      : gzipSync(json, { ...gzipOptions(size), chunkSize });
  return packed.byteLength === packed.buffer.byteLength ? packed : Uint8Array.from(packed);
}

parentPort?.on('message', (request: ListRequest) => {
  const startedAt = performance.now();
  const list = listOf(request.list);
  if (request.do === 'rows') {
    for (const row of request.rows)
      if (row.json === undefined) list.rows.delete(row.id);
      else list.rows.set(row);
    return;
  }
  if (request.do === 'make') {
    join(list, request.before, request.after, request.tag);
    list.made = request.n;
  }
  const bodies: ListReply['bodies'] = {};
  for (const encoding of request.encodings) bodies[encoding] = encode(list, encoding);
  const reply: ListReply = {
    n: request.n,
    made: list.made,
    etag: list.etag,
    size: list.size,
    bodies,
    ms: performance.now() - startedAt,
  };
  parentPort?.postMessage(
    reply,
    Object.values(bodies).map(({ buffer }) => buffer),
  );
});
