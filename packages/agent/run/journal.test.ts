import { openSync, closeSync, fstatSync } from 'node:fs';
import { Writable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { createJournal, isSystemdJournal, type JournalOptions } from './journal.ts';

function journal(options: Partial<JournalOptions>) {
  let written = '';
  const output = new Writable({
    write(text: Buffer, _, done) {
      written += text.toString();
      done();
    },
  });
  const now = () => Date.parse('2026-07-17T12:03:10.000Z');
  return {
    ...createJournal(output, { json: false, colours: false, kind: 'plain', now, ...options }),
    written: () => written,
  };
}

/** Some lines of each kind, one of them with a line break, and a live line between. */
function speak(options: Partial<JournalOptions>): string {
  const { info, warn, progress, written } = journal(options);
  info('started', 'Hello.');
  progress('waiting');
  progress('still waiting');
  warn('fault_dns', 'Two\nlines.', { channel: 'heartbeats' });
  return written();
}

it('In a file or a pipe, each event is one line with its time, without colours or carriage returns', () => {
  expect(speak({ colours: true })).toBe(
    '2026-07-17T12:03:10.000Z Hello.\n2026-07-17T12:03:10.000Z warn: Two lines.\n',
  );
});

it('A terminal does not obey what somebody else has put into a message', () => {
  const { info, written } = journal({ kind: 'terminal' });
  info('disconnected', 'They said \x1b]0;title\x07 and \x9b2J, but «Grüße» stay.');
  expect(written()).toMatch(/They said  and , but «Grüße» stay\.\n$/);
});

it('Under systemd, which adds the time, lines have a priority and no time', () => {
  expect(speak({ kind: 'systemd', colours: true })).toBe('<6>Hello.\n<4>Two lines.\n');
});

it('For machines, each line is a JSON object', () => {
  const lines = speak({ json: true, kind: 'terminal', colours: true }).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time: '2026-07-17T12:03:10.000Z', level: 'info', event: 'started', message: 'Hello.' },
    {
      time: '2026-07-17T12:03:10.000Z',
      level: 'warn',
      event: 'fault_dns',
      message: 'Two lines.',
      channel: 'heartbeats',
    },
  ]);
});

it('In a terminal, the live line stays below what happened', () => {
  const text = speak({ kind: 'terminal' });
  expect(text).toContain('waiting\r\x1b[2Kstill waiting\r\x1b[2K');
  expect(text).toMatch(/Two lines\.\nstill waiting$/);
});

it('The journal of systemd is recognised by its stream, not by the variable alone', () => {
  const file = openSync('/dev/null', 'w');
  onTestFinished(() => closeSync(file));
  const { dev, ino } = fstatSync(file, { bigint: true });
  expect(isSystemdJournal({ JOURNAL_STREAM: `${dev}:${ino}` }, file)).toBe(true);
  // A shell below the unit inherits the variable, and redirects its output.
  expect(isSystemdJournal({ JOURNAL_STREAM: `${dev}:${ino + 1n}` }, file)).toBe(false);
  expect(isSystemdJournal({}, file)).toBe(false);
});
