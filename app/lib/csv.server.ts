import { ReadableStream as NodeStream } from 'node:stream/web';

/**
 * CSV by RFC 4180: a line of names, commas, CRLF, quotes where a value needs them. No byte order mark:
 * the content type says UTF-8, and a mark would become part of the first name in most programs.
 *
 * Spreadsheets run a text that begins with = + - @, a tab or a carriage return as a formula. Such a text gets an
 * apostrophe in front, which marks it as text.
 */
export const csv = <Row>(columns: Columns<Row>, rows: Iterable<Row>): string =>
  `${columns.join(',')}\r\n${csvLines(columns, rows)}`;

/**
 * The same for rows that come in parts: the names at once, and each part only when it is read. A reader that
 * stops early ends the source; a source that fails breaks the response off, so that it is not taken for a whole
 * file.
 */
export function csvStream<Row>(
  columns: Columns<Row>,
  parts: AsyncIterable<Iterable<Row>>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  async function* bytes(): AsyncGenerator<Uint8Array, void> {
    yield encoder.encode(csv(columns, []));
    for await (const rows of parts) yield encoder.encode(csvLines(columns, rows));
  }
  // Node's class is the global one, whose types don't know `from`.
  return NodeStream.from(bytes()) as ReadableStream<Uint8Array>;
}

type Columns<Row> = readonly (keyof Row & string)[];

/** The lines of the rows alone. */
export function csvLines<Row>(columns: Columns<Row>, rows: Iterable<Row>): string {
  let lines = '';
  for (const row of rows)
    lines += `${columns.map((column) => csvField(row[column])).join(',')}\r\n`;
  return lines;
}

function csvField(value: unknown): string {
  // Numbers are our own and never formulas, not even negative ones.
  if (typeof value === 'number') return String(value);
  const text = String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
