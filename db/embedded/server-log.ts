/** PostgreSQL's log, a line at a time, for ours. */

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ServerLine {
  level: 'info' | 'warn' | 'error';
  /** SQLSTATE. */
  code: string;
  message: string;
}

/** A line has the prefix that settings.ts asks for: `checkpointer|53100|PANIC:  could not write …`. */
const LINE = /^([a-z][\w -]*)\|(\w{5})\|([A-Z]+\d?): +(.*)$/;

/** Work that was ended on purpose: a vacuum for a statement that waits, a process when all end. */
const ENDED = ['57014', '57P01'];

/** One of its processes has crashed: all sessions end, and it recovers. */
const CRASH = /\bterminated by (signal|exception)\b/;

/** PostgreSQL says this at every start. */
export const READY = 'database system is ready to accept connections';

/** PostgreSQL's LOG is about the server itself: starts, crashes of its processes. */
const LEVELS: Record<string, ServerLine['level']> = {
  LOG: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  FATAL: 'error',
  PANIC: 'error',
};

/**
 * Reads a line. Null for what our log already has or must not have: an error of a statement goes to whoever sent it,
 * and its message may quote a value.
 */
export function readServerLine(line: string): ServerLine | null {
  const [, process = '', code = '', severity = '', message = ''] = LINE.exec(line) ?? [];
  // A further line of a message, or what a library writes.
  if (severity === '') return null;
  const level = LEVELS[severity];
  if (!level) return null;
  if (process.endsWith('client backend') && severity !== 'PANIC' && severity !== 'LOG') return null;
  if (ENDED.includes(code)) return { level: 'info', code, message };
  return { level: CRASH.test(message) ? 'warn' : level, code, message };
}
