import type { PeerStatus } from '@mesh-registry/peer/base/status.ts';
import { styler, type Io } from '../terminal/io.ts';
import type { Journal } from '../run/journal.ts';
import { milliseconds } from './status-text.ts';
import { frame } from './watch-frame.ts';

/** Milliseconds. */
const REDRAW_MS = 1000;
const LINE_MS = 60_000;
/** Events that are kept for the view. */
const EVENTS_KEPT = 20;

/** A second screen, as editors use it: the first one is as before when the view ends. */
const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const CLEAR_LINE_END = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

export interface Watch {
  /** Where to write what happens while the view is open. */
  journal: Journal;
  start(read: () => PeerStatus): void;
  /** Leaves the terminal as it was. */
  stop(): void;
}

/**
 * The live view of `peer --watch`: drawn once a second in a terminal, elsewhere a line a minute.
 * @param journal where events go without a terminal, or with `json`
 */
export function createWatch(io: Io, journal: Journal, { json = false } = {}): Watch {
  return io.stdout.isTTY === true && io.env['TERM'] !== 'dumb' && !json
    ? terminalWatch(io)
    : lineWatch(journal);
}

function terminalWatch(io: Io): Watch {
  const { stdout } = io;
  const style = styler(io);
  const events: string[] = [];
  const note = (_: string, message: string) => {
    const time = new Date().toTimeString().slice(0, 8);
    events.push(`${time} ${message.replace(/\s*\n\s*/g, ' ')}`);
    events.splice(0, events.length - EVENTS_KEPT);
  };
  let end: (() => void) | null = null;
  return {
    journal: { info: note, warn: note, error: note, progress() {} },
    start(read) {
      const draw = () => {
        const { columns = 80, rows = 24 } = stdout;
        const lines = frame(read(), { columns, rows, style, events, now: Date.now() });
        // In place, without clearing first: that would flicker.
        const text = lines.map((line) => `${line}${CLEAR_LINE_END}`).join('\n');
        stdout.write(`${HOME}${text}${CLEAR_BELOW}`);
      };
      const enter = () => {
        stdout.write(ENTER);
        draw();
      };
      const leave = () => void stdout.write(LEAVE);
      // Ctrl-Z: the shell gets its own screen meanwhile.
      const suspend = () => {
        leave();
        process.kill(process.pid, 'SIGSTOP');
      };
      enter();
      const timer = setInterval(draw, REDRAW_MS).unref();
      stdout.on('resize', draw);
      process.on('SIGTSTP', suspend).on('SIGCONT', enter);
      // Also when the process ends by an error.
      process.once('exit', leave);
      end = () => {
        clearInterval(timer);
        stdout.off('resize', draw);
        process.off('SIGTSTP', suspend).off('SIGCONT', enter).off('exit', leave);
        leave();
      };
    },
    stop() {
      end?.();
      end = null;
    },
  };
}

function lineWatch(journal: Journal): Watch {
  let timer: NodeJS.Timeout | undefined;
  return {
    journal,
    start(read) {
      const tell = () => {
        const status = read();
        journal.info('status', statusLine(status), summary(status));
      };
      tell();
      timer = setInterval(tell, LINE_MS).unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}

const summary = ({ sessions, known, truth, stale, log, alarms }: PeerStatus) => ({
  peers: sessions.length,
  known,
  truth: truth?.version ?? null,
  stale,
  height: log.height,
  alarms: alarms.length,
});

function statusLine(status: PeerStatus): string {
  const { peers, known, truth, stale, height, alarms } = summary(status);
  const nearest = Math.min(...status.sessions.map(({ rtt }) => rtt?.min ?? Infinity));
  return [
    `${peers} peers connected, ${known} known`,
    ...(nearest < Infinity ? [`nearest ${milliseconds(nearest)}`] : []),
    `truth ${truth ?? 'none'}${stale ? ' (stale)' : ''}`,
    `log ${height}`,
    ...(alarms > 0 ? [`${alarms} ${alarms === 1 ? 'alarm' : 'alarms'}`] : []),
  ].join(', ');
}
