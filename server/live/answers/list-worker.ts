import { parentPort } from 'node:worker_threads';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { OrderedRows } from '../replica/ordered-rows.ts';
import { brotliOptions, digest, gzipOptions, weakTag, type Encoding } from './answer.ts';
import type { ListResult, ListRequest, SentRow } from './list-worker-client.ts';
import { PAGE_ROWS } from './paged-json.ts';

/**
 * The program of the worker thread: it joins and compresses large lists. It gets rows as finished JSON, so that it
 * knows nothing of peers or compute offers.
 */
interface List {
  rows: OrderedRows<SentRow>;
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
    const rows = new OrderedRows<SentRow>(({ order }) => order);
    list = { rows, body: Buffer.alloc(0), size: 0, etag: '', made: 0 };
    lists.set(name, list);
  }
  return list;
}

const COMMA = 0x2c;

/**
 * Writes the rows one after the other into the body. Pages of their own, as the event loop has them, would be made
 * again each time: in a large list some row of nearly every page has changed.
 */
function join(list: List, before: string, after: string, tag: string): void {
  const rows = list.rows.all();
  const digests: string[] = [];
  let end = 0;
  const write = (text: string) => {
    // A character takes at most three bytes.
    makeRoom(list, end, 3 * text.length + 1);
    end += list.body.write(text, end);
  };
  write(before);
  let isFirst = true;
  for (let page = 0; page < rows.length; page += PAGE_ROWS) {
    let start = end;
    let isEmpty = true;
    for (const { json } of rows.slice(page, page + PAGE_ROWS)) {
      if (json === null || json === undefined) continue;
      if (!isFirst) list.body[end++] = COMMA;
      if (isEmpty) start = end;
      isFirst = isEmpty = false;
      write(json);
    }
    digests.push(digest(list.body.subarray(start, end)));
  }
  write(after);
  // The event loop makes the same tag of its pages.
  list.etag = weakTag([...digests, tag]);
  list.size = end;
}

/** Always leaves room for one more byte. */
function makeRoom(list: List, used: number, bytes: number): void {
  if (used + bytes < list.body.length) return;
  const body = Buffer.allocUnsafeSlow(Math.ceil((used + bytes) * 1.2) + 1024);
  list.body.copy(body, 0, 0, used);
  list.body = body;
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

parentPort?.on('message', (request: ListRequest & { number: number }) => {
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
    list.made = request.number;
  }
  const bodies: ListResult['bodies'] = {};
  for (const encoding of request.encodings) bodies[encoding] = encode(list, encoding);
  const result: ListResult = {
    number: request.number,
    made: list.made,
    etag: list.etag,
    size: list.size,
    bodies,
    ms: performance.now() - startedAt,
  };
  parentPort?.postMessage(
    result,
    Object.values(bodies).map(({ buffer }) => buffer),
  );
});
