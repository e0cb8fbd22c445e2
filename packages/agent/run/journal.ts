import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Env } from '../config/paths.ts';
import { printable, printableJson } from '../terminal/printable.ts';

/** What the running agent writes: one line for each event. */
export interface Journal {
  info(event: string, message: string, fields?: object): void;
  warn(event: string, message: string, fields?: object): void;
  error(event: string, message: string, fields?: object): void;
  /** A line that the next one replaces: in a terminal only. */
  progress(text: string): void;
}

type Level = 'info' | 'warn' | 'error';

/** A terminal's own line is replaced, elsewhere lines are only added. */
type Kind = 'json' | 'systemd' | 'terminal' | 'plain';

/** What systemd reads at the beginning of a line as its priority, and does not store. */
const PRIORITY: Record<Level, string> = { info: '<6>', warn: '<4>', error: '<3>' };
const COLOUR: Record<Level, string> = { info: '', warn: '\x1b[33m', error: '\x1b[31m' };
const RESET = '\x1b[0m';
const CLEAR_LINE = '\r\x1b[2K';

export interface JournalOptions {
  json: boolean;
  colours: boolean;
  kind: Kind;
  now: () => number;
}

export function createJournal(
  output: Writable,
  { json, colours, kind, now }: JournalOptions,
): Journal {
  let live = '';
  const line = (level: Level, event: string, message: string, fields: object = {}): string => {
    if (json)
      return printableJson({
        time: new Date(now()).toISOString(),
        level,
        event,
        message,
        ...fields,
      });
    if (kind === 'systemd') return PRIORITY[level] + message;
    const time = new Date(now());
    if (kind === 'plain')
      return `${time.toISOString()} ${level === 'info' ? '' : `${level}: `}${message}`;
    const clock = time.toTimeString().slice(0, 8);
    const colour = colours ? COLOUR[level] : '';
    return `${clock} ${colour}${message}${colour && RESET}`;
  };
  const write = (level: Level) => (event: string, message: string, fields?: object) => {
    // A message of several lines would be several entries of the journal, and a terminal obeys what others have written.
    const text = line(level, event, printable(message.replace(/\s*\n\s*/g, ' ')), fields);
    output.write(`${live && CLEAR_LINE}${text}\n${live}`);
  };
  return {
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    progress(text) {
      if (json || kind !== 'terminal' || text === live) return;
      output.write(`${live && CLEAR_LINE}${text}`);
      live = text;
    },
  };
}

/** Whether the standard output goes to systemd's journal, which adds the time and knows priorities. */
export function isSystemdJournal(env: Env, fd: number): boolean {
  const [device, inode] = env['JOURNAL_STREAM']?.split(':') ?? [];
  if (!device || !inode) return false;
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return String(dev) === device && String(ino) === inode;
  } catch {
    return false;
  }
}
