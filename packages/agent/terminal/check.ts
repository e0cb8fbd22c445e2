import { EXIT } from '../base/exit.ts';
import { print, printJson, styler, type Io } from './io.ts';

/** One line of `doctor`. */
export interface Check {
  name: string;
  level: Level;
  /** What was found. */
  message: string;
  /** What to do; null: nothing. */
  remedy: string | null;
}

export type Level = 'OK' | 'WARN' | 'FAIL';

export const ok = (name: string, message: string): Check => ({
  name,
  level: 'OK',
  message,
  remedy: null,
});

export const warn = (name: string, message: string, remedy: string): Check => ({
  name,
  level: 'WARN',
  message,
  remedy,
});

export const fail = (name: string, message: string, remedy: string | null = null): Check => ({
  name,
  level: 'FAIL',
  message,
  remedy,
});

const COLOUR = { OK: 'green', WARN: 'yellow', FAIL: 'red' } as const satisfies Record<
  Level,
  string
>;

/** Prints a check in one line, and below it what to do. */
export function printCheck(io: Io, { name, level, message, remedy }: Check): void {
  const style = styler(io);
  const indent = ' '.repeat(6);
  print(
    io,
    `${style(COLOUR[level], level.padEnd(4))}  ${name}: ${message.replaceAll('\n', `\n${indent}`)}`,
  );
  if (remedy !== null) print(io, `${indent}${remedy}`);
}

interface Verdict {
  json: boolean | undefined;
  checks: readonly Check[];
  /** The last line, if nothing failed and if something did. */
  passed: string;
  failed: string;
  /** What else belongs to the JSON. */
  facts?: object;
}

/** Prints checks, and what they come to. @returns the exit code */
export function printVerdict(io: Io, { json, checks, passed, failed, facts }: Verdict): number {
  const ok = checks.every(({ level }) => level !== 'FAIL');
  if (json) printJson(io, { ok, ...facts, checks });
  else {
    for (const check of checks) printCheck(io, check);
    print(io, '', ok ? passed : failed);
  }
  return ok ? EXIT.ok : EXIT.failed;
}
