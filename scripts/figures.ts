import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';

/** What bench, bench:peer and ha measure, and how they show it. */

/** One number that was measured. */
export interface Figure {
  name: string;
  /** NaN where it could not be measured. */
  value: number;
  /** Empty for a count. */
  unit: string;
  /** What we want, as a text: `< 50`, `≥ 0.40`, or words. */
  aim: string;
}

export const figure = (name: string, value: number, unit = '', aim = ''): Figure => ({
  name,
  value,
  unit,
  aim,
});

/** Null: there is no value, or no aim that a number could meet. */
export function isMet({ value, aim }: Figure): boolean | null {
  const [, bound, number] = /^([<≥]) ([\d.]+)$/.exec(aim) ?? [];
  if (Number.isNaN(value) || bound === undefined) return null;
  return bound === '<' ? value < Number(number) : value >= Number(number);
}

/** Of those that are numbers; NaN without any. */
export function median(values: readonly number[]): number {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const [lower = NaN, upper = lower] = sorted.slice(
    Math.ceil(sorted.length / 2) - 1,
    Math.floor(sorted.length / 2) + 1,
  );
  return (lower + upper) / 2;
}

/** With three digits or so. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return '–';
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** A table in Markdown, with its columns aligned: texts, and from the second column on numbers. */
export function formatTable([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, n) =>
    Math.max(3, ...[head, ...rows].map((row) => row[n]?.length ?? 0)),
  );
  const pad = (cell: string, n: number) =>
    n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0);
  const line = (cells: string[]) => `| ${cells.map(pad).join(' | ')} |`;
  const rule = widths.map((width, n) =>
    n === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

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

/** On what figures are measured, and when; it says so if the machine has other work, and prints it. */
export function describeOccasion(nodeVersions = process.version) {
  const occasion = {
    at: new Date().toISOString(),
    node: nodeVersions,
    cpus: cpus().length,
    model: cpus()[0]?.model ?? '',
    load: loadavg()[0] ?? 0,
  };
  const { node, model, load } = occasion;
  const when = [`Node ${node}, ${occasion.cpus} × ${model}, ${occasion.at.slice(0, 10)}`];
  if (load > occasion.cpus / 4)
    when.push(`with other work on the machine (load average ${load.toFixed(1)})`);
  console.log(when.join(', '));
  return { occasion, when: when.join(', ') };
}

/** Writes `bench-results/NAME.json`. */
export function saveResults(name: string, results: object): void {
  const directory = join(import.meta.dirname, '..', 'bench-results');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${name}.json`), JSON.stringify(results, null, 2));
}
