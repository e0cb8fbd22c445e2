import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Replaces what is between `<!-- mark -->` and `<!-- /mark -->` in a Markdown file.
 * @throws if it has no such comments
 */
export function replaceMarked(file: string, mark: string, content: string): void {
  const [start, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no ${start} and ${end}.`);
  writeFileSync(file, `${text.slice(0, from)}${start}\n\n${content}\n\n${text.slice(to)}`);
}

/** As Prettier aligns it. */
export function alignTable([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, n) =>
    Math.max(3, ...[head, ...rows].map((row) => row[n]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, n) =>
    n === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
