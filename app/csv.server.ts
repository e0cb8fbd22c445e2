/**
 * CSV by RFC 4180: a line of names, commas, CRLF, quotes where a value needs them. No byte order mark:
 * the content type says UTF-8, and a mark would become part of the first name in most programs.
 *
 * Spreadsheets run a text that begins with = + - @, a tab or a carriage return as a formula, whoever
 * wrote it. Such a text gets an apostrophe in front, which shows them that it is text.
 */
export function csv<Row>(columns: readonly (keyof Row & string)[], rows: Iterable<Row>): string {
  const lines = [columns.join(',')];
  for (const row of rows) lines.push(columns.map((column) => csvField(row[column])).join(','));
  return lines.map((line) => `${line}\r\n`).join('');
}

function csvField(value: unknown): string {
  // A number is ours and says nothing but itself, a negative one too.
  if (typeof value === 'number') return String(value);
  const text = String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
