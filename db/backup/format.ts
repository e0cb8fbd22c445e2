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
/**
 * The last part may be the public log instead of a table: its rows are the blocks in their order, in base64. No table has
 * this name.
 */
export const LOG_PART = 'log blocks';
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

/** Longest line of JSON, bytes: a file of another kind may have no line breaks. */
const LINE_MAX = 1_000_000;
const NO_BACKUP = 'This file is not a backup made by npm run backup.';
const INCOMPLETE = 'The backup is incomplete: its end is missing.';

/**
 * Reads a backup as it arrives: `header`, then `tables` to their end, then `footer`. Reading to the end proves that it
 * is complete and unchanged.
 */
export class BackupReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** Received, not yet read. */
  #buffer: Buffer = Buffer.alloc(0);
  readonly #digests = new Map<string, RowDigest>();
  #footer: Footer | undefined;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  /** @throws BackupError for a file of another kind, or of a newer release */
  async header(): Promise<Header> {
    const header = parse<Partial<Header>>(await this.#line());
    if (header?.format !== FORMAT) throw new BackupError(NO_BACKUP);
    if (header.version !== VERSION || !Array.isArray(header.migrations))
      throw new BackupError('A newer release made this backup. Restore it with that release.');
    return header as Header;
  }

  /** Each table's rows have to be read before the next table. @throws BackupError for an incomplete or changed file */
  async *tables(): AsyncGenerator<TableRows> {
    for (;;) {
      const line = await this.#line();
      if (line === null) throw new BackupError(INCOMPLETE);
      const part = parse<TableHeader | Footer>(line);
      if (part && 'table' in part) {
        const digest = new RowDigest();
        this.#digests.set(part.table, digest);
        yield { ...part, rows: digesting(this.#rows(), digest) };
      } else if (part && 'tables' in part) {
        this.#verify(part);
        this.#footer = part;
        return;
      } else throw new BackupError('The backup is damaged: it cannot be read.');
    }
  }

  /** Read it after all tables. */
  get footer(): Footer {
    if (!this.#footer) throw new BackupError(INCOMPLETE);
    return this.#footer;
  }

  #verify({ tables }: Footer): void {
    for (const table of new Set([...Object.keys(tables), ...this.#digests.keys()])) {
      const [said, found] = [tables[table], this.#digests.get(table)?.summary()];
      if (said?.rows !== found?.rows || said?.hash !== found?.hash)
        throw new BackupError(`The backup is damaged: the rows of ${table} have changed.`);
    }
  }

  /** The next line, without its line break; null at the end. */
  async #line(): Promise<Buffer | null> {
    let end: number;
    while ((end = this.#buffer.indexOf('\n')) < 0) {
      if (this.#buffer.length > LINE_MAX) throw new BackupError(NO_BACKUP);
      if (!(await this.#receive())) return null;
    }
    const line = this.#buffer.subarray(0, end);
    this.#buffer = this.#buffer.subarray(end + 1);
    return line;
  }

  /** The lines before the end of a table's rows, in chunks of whole lines. */
  async *#rows(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const whole = this.#buffer.lastIndexOf('\n') + 1;
      const end = endOfRows(this.#buffer.subarray(0, whole));
      const chunk = this.#buffer.subarray(0, end < 0 ? whole : end);
      this.#buffer = this.#buffer.subarray(end < 0 ? whole : end + END_OF_ROWS.length);
      if (chunk.length > 0) yield chunk;
      if (end >= 0) return;
      if (!(await this.#receive())) throw new BackupError(INCOMPLETE);
    }
  }

  async #receive(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done) return false;
    this.#buffer =
      this.#buffer.length === 0
        ? Buffer.from(next.value)
        : Buffer.concat([this.#buffer, next.value]);
    return true;
  }
}

/** Where the line that ends the rows starts; -1 if it is not there. */
function endOfRows(lines: Buffer): number {
  if (lines.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS)) return 0;
  const before = lines.indexOf(Buffer.concat([Buffer.from('\n'), END_OF_ROWS]));
  return before < 0 ? -1 : before + 1;
}

/** The object in a line of JSON; null if there is none. */
function parse<T extends object>(line: Buffer | null): T | null {
  try {
    const value: unknown = JSON.parse(String(line));
    return typeof value === 'object' ? (value as T | null) : null;
  } catch {
    return null;
  }
}
