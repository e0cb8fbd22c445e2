import { stripVTControlCharacters } from 'node:util';
import type { PeerStatus } from '@mesh-registry/peer/base/status.ts';
import type { Style } from '../terminal/io.ts';
import { printable } from '../terminal/printable.ts';
import { sessionTable, summaryLines } from './status-text.ts';

/** Events below the table, if there is room. */
const EVENTS_MAX = 6;

export interface FrameOptions {
  columns: number;
  rows: number;
  style: Style;
  /** The last ones, oldest first. */
  events: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
}

/** What the live view shows: never more lines than `rows`, none longer than `columns`. */
export function frame(status: PeerStatus, options: FrameOptions): string[] {
  const { columns, rows, style, events, now } = options;
  const summary = summaryLines(status, style, now).map(
    ([name, text]) => `${style('bold', name.padEnd(9))} ${text}`,
  );
  const [head = '', ...sessions] = sessionTable(status.sessions, columns - 1, now);
  const recent = events.slice(-EVENTS_MAX).map((event) => style('dim', printable(event)));
  const footer = style('dim', 'Ctrl-C ends the peer.');
  // The table gets what the rest leaves; the events give way first.
  const fixed = summary.length + 4;
  const eventRows = Math.max(0, Math.min(recent.length + 1, rows - fixed - sessions.length - 1));
  const room = Math.max(1, rows - fixed - eventRows);
  const shown =
    sessions.length <= room
      ? sessions
      : [...sessions.slice(0, room - 1), style('dim', `… and ${sessions.length - room + 1} more`)];
  return (
    [
      ...summary,
      '',
      style('bold', head),
      ...(shown.length > 0 ? shown : [style('dim', 'none yet')]),
      '',
      ...(eventRows > 1 ? [...recent.slice(1 - eventRows), ''] : []),
      footer,
    ]
      .slice(0, rows)
      // In the last column, clearing the rest of a line would clear its last letter.
      .map((line) => cut(line, columns - 1))
  );
}

/** Counts what is seen: sequences that change the colour take no room. */
function cut(line: string, columns: number): string {
  if (stripVTControlCharacters(line).length <= columns) return line;
  let left = Math.max(0, columns - 1);
  const parts = line.split(/(\x1b\[[\d;]*m)/).map((part) => {
    if (part.startsWith('\x1b')) return part;
    const shown = part.slice(0, left);
    const isEnd = left > 0 && part.length >= left;
    left -= shown.length;
    return isEnd ? `${shown}…` : shown;
  });
  return parts.join('');
}
