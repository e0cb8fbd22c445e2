import { createHash } from 'node:crypto';

/**
 * The format of backups, before compression: lines of JSON, and each table's rows in PostgreSQL's COPY text format,
 * one row per line.
 *
 *     {"format":"mesh-registry-backup","version":1,"createdAt":"…","migrations":["<hash>",…]}
 *     {"table":"peers","columns":["id",…]}
 *     <rows>
 *     \.
 *     …
 *     {"tables":{"peers":{"rows":2,"hash":"…"},…},"sequences":{"review_desk_removals":{"value":"7","called":true}}}
 *
 * Only a complete backup has the last line, with the number of rows and a hash of each table.
 */

export const FORMAT = 'mesh-registry-backup';
export const VERSION = 1;
/** Ends a table's rows. No row looks like this: COPY doubles backslashes. */
export const END_OF_ROWS = Buffer.from('\\.\n');

/** What the database was like. */
export interface Header {
  format: typeof FORMAT;
  version: typeof VERSION;
  createdAt: string;
  /** The hashes of the migrations that had been applied, oldest first. */
  migrations: string[];
}

export interface TableHeader {
  table: string;
  columns: string[];
}

/** A table and its rows, which can be read once. */
export interface TableRows extends TableHeader {
  rows: AsyncIterable<Uint8Array>;
}

export interface TableSummary {
  rows: number;
  /** It is the same for the same rows in any order. */
  hash: string;
}

export interface Sequence {
  value: string;
  called: boolean;
}

export interface Footer {
  tables: Record<string, TableSummary>;
  sequences: Record<string, Sequence>;
}

/** The file is no complete backup, or this release cannot restore it. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);
const HASH_BITS = 256;

/** Counts and hashes rows as they pass by. The hash is the sum of the rows' hashes, so their order doesn't matter. */
export class RowDigest {
  #rows = 0;
  #sum = 0n;
  /** The beginning of a row whose end is in the next chunk. */
  #rest: Uint8Array = NOTHING;

  update(chunk: Uint8Array): void {
    let from = 0;
    for (let to; (to = chunk.indexOf(LINE_FEED, from)) >= 0; from = to + 1) {
      this.#add(chunk.subarray(from, to));
      this.#rest = NOTHING;
    }
    if (from < chunk.length) this.#rest = Buffer.concat([this.#rest, chunk.subarray(from)]);
  }

  #add(end: Uint8Array): void {
    const hash = createHash('sha256').update(this.#rest).update(end).digest('hex');
    this.#sum = BigInt.asUintN(HASH_BITS, this.#sum + BigInt(`0x${hash}`));
    this.#rows++;
  }

  summary(): TableSummary {
    return { rows: this.#rows, hash: this.#sum.toString(16).padStart(HASH_BITS / 4, '0') };
  }
}

/** Passes rows on and digests them. */
export async function* digesting(
  rows: AsyncIterable<Uint8Array>,
  digest: RowDigest,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of rows) {
    digest.update(chunk);
    yield chunk;
  }
}

const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);

/** The bytes of a backup. Reads the tables one after the other. */
export async function* encode(
  header: Header,
  tables: AsyncIterable<TableRows> | Iterable<TableRows>,
  sequences: Footer['sequences'],
): AsyncGenerator<Uint8Array> {
  yield line(header);
  const footer: Footer = { tables: {}, sequences };
  for await (const { table, columns, rows } of tables) {
    yield line({ table, columns } satisfies TableHeader);
    const digest = new RowDigest();
    yield* digesting(rows, digest);
    yield END_OF_ROWS;
    footer.tables[table] = digest.summary();
  }
  yield line(footer);
}
