import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { EXIT } from '../base/exit.ts';
import type { Env } from '../config/paths.ts';
import { printableJson } from './printable.ts';

/** What a command has of its process. */
export interface Io {
  env: Env;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number };
  stderr: Writable & { isTTY?: boolean };
  /** The program that runs, and the file it runs: absolute paths. */
  node: string;
  script: string;
  version: string;
  pid: number;
}

/** Prints lines on the standard output. */
export const print = (io: Io, ...lines: string[]): void =>
  void io.stdout.write(lines.map((line) => `${line}\n`).join(''));

/** A line of a description: a name, and what is said of it. */
export const line = (name: string, text: string): string => `${name.padEnd(10)} ${text}`;

/** A line of a status: its name, and what it says. */
export type Line = readonly [name: string, text: string];

/** For machines: one JSON document. */
export const printJson = (io: Io, value: unknown): void => print(io, printableJson(value, 2));

/** What a command came to: its value for machines, else the lines for people. @returns the exit code */
export function printResult(
  io: Io,
  { json }: { json?: boolean | undefined },
  value: unknown,
  lines: readonly string[],
): number {
  if (json) printJson(io, value);
  else print(io, ...lines);
  return EXIT.ok;
}

/** Whether to colour what goes to the standard output: https://no-color.org, and only in a terminal. */
export const hasColours = (io: Io): boolean =>
  io.stdout.isTTY === true && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';

/** Text in a style, where colours are wanted. */
export type Style = (style: 'red' | 'yellow' | 'green' | 'dim' | 'bold', text: string) => string;

export const styler = (io: Io): Style => {
  const coloured = hasColours(io);
  return (style, text) => (coloured ? styleText(style, text) : text);
};
