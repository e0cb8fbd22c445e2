import {
  BackupError,
  digesting,
  END_OF_ROWS,
  FORMAT,
  RowDigest,
  VERSION,
  type Footer,
  type Header,
  type TableHeader,
  type TableRows,
} from './format.ts';

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
