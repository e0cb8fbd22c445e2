import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Env } from '../config/paths.ts';

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

/** For machines: one JSON document. */
export const printJson = (io: Io, value: unknown): void =>
  print(io, JSON.stringify(value, null, 2));

/** Whether to colour what goes to the standard output: https://no-color.org, and only in a terminal. */
export const hasColours = (io: Io): boolean =>
  io.stdout.isTTY === true && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';

type Style = Parameters<typeof styleText>[0];

/** Styles text where colours are wanted. */
export const styler = (io: Io) => {
  const coloured = hasColours(io);
  return (style: Style, text: string) => (coloured ? styleText(style, text) : text);
};
