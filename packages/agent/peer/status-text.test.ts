import { stripVTControlCharacters, styleText } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aSession, aStatus, NOW } from '../../../test/support/peer-status.ts';
import { milliseconds, sessionTable, summaryLines } from './status-text.ts';
import type { Style } from '../terminal/io.ts';
import { frame } from './watch-frame.ts';

const plain: Style = (_, text) => text;
const coloured: Style = (style, text) => styleText(style, text, { validateStream: false });

describe('the summary', () => {
  test('tells peers, truth, log and refusals', () => {
    expect(summaryLines(aStatus({ sessions: [aSession('a')] }), plain, NOW)).toEqual([
      ['Peer', `12D3KooW${'s'.repeat(44)}, running for 3 h`],
      ['Network', 'mesh.example.org'],
      ['Peers', '1 connected (1 outbound, 0 inbound), 17 known, Genesis connected'],
      ['Truth', 'version 7, signed 12 h ago, expires in 3 days, 2 bans'],
      ['Root', 'version 1, expires in 333 days'],
      ['Log', 'height 1041, 8f2ab10000000000…'],
      ['Refusals', 'wrong_network 3, busy 1'],
    ]);
  });

  test('tells what is wrong', () => {
    const status = aStatus({
      genesis: { configured: 2, connected: 1 },
      truth: {
        version: 7,
        issued: '2026-01-01T12:00:00Z',
        expires: '2026-01-01T20:00:00Z',
        bans: 1,
      },
      stale: true,
      log: { height: 0, id: '', contradicted: false },
      refusals: {},
      refusedBy: { busy: 1, banned: 2 },
      alarms: [{ kind: 'log_fork', at: '2026-01-01T23:00:00Z', detail: 'Two blocks\x1b[2J.' }],
    });
    const lines = summaryLines(status, plain, NOW);
    expect(lines).toContainEqual([
      'Peers',
      '0 connected (0 outbound, 0 inbound), 17 known, Genesis 1 of 2 connected',
    ]);
    expect(lines).toContainEqual(['Refused', 'by 3 peers: banned 2, busy 1']);
    expect(lines).toContainEqual([
      'Truth',
      'version 7, signed 12 h ago, expired 4 h ago, 1 ban, stale',
    ]);
    expect(lines).toContainEqual(['Log', 'no block yet']);
    expect(lines).toContainEqual(['Refusals', 'none']);
    expect(lines).toContainEqual(['Alarm', 'log_fork, 1 h ago: Two blocks.']);
    const log = { height: 40, id: 'ab'.repeat(32), contradicted: true };
    expect(summaryLines(aStatus({ log }), plain, NOW)).toContainEqual([
      'Log',
      'height 40, abababababababab…, contradicts the truth: it will be replaced once a peer sends the right one',
    ]);
    const none = summaryLines(aStatus({ truth: null }), plain, NOW);
    expect(none).toContainEqual(['Truth', 'none yet']);
  });
});

describe('the table of sessions', () => {
  test('has the nearest first, and what a round trip takes', () => {
    const far = aSession('f', {
      rtt: { last: 1, min: 310.4, smoothed: 400, jitter: 0.42, count: 3 },
    });
    const sessions = [aSession('n', { rtt: null, direction: 'inbound' }), far, aSession('a')];
    expect(sessionTable(sessions, 100, NOW).map((line) => line.replace(/ +/g, ' '))).toEqual([
      'peer rtt min smoothed jitter truth height since program',
      '…aaaaaaaa out 12.3 ms 15.0 ms 2.5 ms 7 1041 1 h 30 min mesh-agent/0.1.0',
      '…aaaaaaaf out 310 ms 400 ms 0.42 ms 7 1041 1 h 30 min mesh-agent/0.1.0',
      '…aaaaaaan in – – – 7 1041 1 h 30 min mesh-agent/0.1.0',
    ]);
  });

  test('shows of a program only what is no command of the terminal', () => {
    const [, line] = sessionTable([aSession('a', { agent: '\x1b]0;x\x07\x9b2Já‮' })], 200, NOW);
    expect(line).toMatch(/ á$/);
  });

  test.each([
    [0.4213, '0.42 ms'],
    [12.34, '12.3 ms'],
    [310.4, '310 ms'],
    [undefined, '–'],
  ])('%s is %s', (value, text) => {
    expect(milliseconds(value)).toBe(text);
  });
});

describe('the live view', () => {
  const options = { columns: 80, rows: 24, style: plain, now: NOW };
  const many = Array.from({ length: 40 }, (_, index) => aSession(String.fromCharCode(65 + index)));

  test('is never larger than the terminal, whatever there is to show', () => {
    const texts = fc.array(fc.string({ maxLength: 200 }), { maxLength: 10 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 60 }),
        fc.nat(40),
        texts,
        (columns, rows, count, events) => {
          const alarms = events.map((detail) => ({
            kind: 'log_fork' as const,
            at: '2026-01-01T23:00:00Z',
            detail,
          }));
          const status = aStatus({ sessions: many.slice(0, count), alarms: alarms.slice(0, 3) });
          const lines = frame(status, { columns, rows, style: coloured, events, now: NOW });
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of lines) {
            expect(line).not.toMatch(/[\r\n]/);
            expect(stripVTControlCharacters(line).length).toBeLessThan(Math.max(columns, 2));
          }
        },
      ),
    );
  });

  test('shows all peers and the last events if there is room, else how many more peers there are', () => {
    const events = ['one', 'two', 'three'];
    const roomy = frame(aStatus({ sessions: many }), { ...options, rows: 60, events });
    expect(roomy.filter((line) => line.includes(' out '))).toHaveLength(40);
    expect(roomy).toContain('three');
    const small = frame(aStatus({ sessions: many }), { ...options, events });
    expect(small).toHaveLength(24);
    const shown = small.filter((line) => line.includes(' out '));
    expect(small).toContain(`… and ${40 - shown.length} more`);
    expect(small.at(-1)).toBe('Ctrl-C ends the peer.');
    expect(frame(aStatus(), { ...options, events })).toContain('none yet');
  });
});
