import { beforeEach, describe, expect, test } from 'vitest';
import type { PeerEvent } from '@mesh-registry/peer/context.ts';
import { journalEvents } from './event-journal.ts';

const HOUR_MS = 3_600_000;

let now: number;
let lines: string[];
let tell: (event: PeerEvent) => void;
beforeEach(() => {
  now = 0;
  lines = [];
  const note = (_: string, text: string) => void lines.push(text);
  tell = journalEvents({ info: note, warn: note, error: note, progress() {} }, () => now);
});

const refused = (peer: string): PeerEvent => ({ kind: 'refused', peer, code: 'banned' });

test('the first block is one block', () => {
  tell({ kind: 'blocks', added: 1, height: 1 });
  tell({ kind: 'blocks', added: 1, height: 2 });
  expect(lines).toEqual(['The log has 1 block.', 'The log has 2 blocks.']);
});

describe('nobody fills the disk', () => {
  test('by knocking again: that is a line an hour, and the others are counted', () => {
    for (; now < 3 * HOUR_MS; now += 1000) tell(refused('one'));
    tell(refused('other'));
    expect(lines).toEqual([
      'Refused one: banned.',
      'Left out 3599 lines: repeated, or too many at once.',
      'Refused one: banned.',
      'Left out 3599 lines: repeated, or too many at once.',
      'Refused one: banned.',
      'Left out 3599 lines: repeated, or too many at once.',
      'Refused other: banned.',
    ]);
  });

  test('by many identities, or by coming and going', () => {
    for (; now < HOUR_MS; now += 100) {
      tell(refused(`peer ${now}`));
      tell({ kind: 'connected', peer: 'one', direction: 'inbound' });
    }
    // 100 at once and 20 a minute, each with one that counts those left out.
    expect(lines.length).toBeLessThan(2 * (100 + 60 * 20) + 2);
    expect(lines.length).toBeGreaterThan(1000);
  });

  test('and what is our own is always said', () => {
    for (let index = 0; index < 1000; index += 1) tell(refused(`peer ${index}`));
    const before = lines.length;
    tell({ kind: 'truth', root: 1, truth: 2 });
    tell({ kind: 'storage', message: 'no space left' });
    expect(lines.slice(before)).toEqual([
      'Left out 900 lines: repeated, or too many at once.',
      'Now using root 1 and truth 2.',
      "Couldn't store data on disk: no space left",
    ]);
  });
});

test('a peer that comes back is news each time', () => {
  for (const direction of ['inbound', 'outbound', 'inbound'] as const)
    tell({ kind: 'connected', peer: 'one', direction });
  expect(lines).toHaveLength(3);
});
