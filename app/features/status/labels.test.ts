import { describe, expect, test } from 'vitest';
import type { StatusSummary } from '#server/status/index.ts';
import type { Connection } from '#app/lib/polling.ts';
import {
  duration,
  reachableInWords,
  runningIn,
  runningInWords,
  verdict,
  type Times,
} from './labels.ts';

const SLOT_MS = 15 * 60_000;
const NOON = Date.parse('2026-07-17T12:00:00.000Z');
const iso = (ms: number) => new Date(ms).toISOString();
const times: Times = {
  short: (at) => at.slice(11, 16),
  full: (at) => `${at.slice(11, 16)} UTC`,
  zone: () => 'UTC',
};

test.each([
  [-1, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [(23 * 60 + 50) * 60_000, '23 h 50 min'],
  [24 * 3_600_000, '1 d'],
  [24 * 3_600_000 + 60_000, '1 d 1 min'],
  [(2 * 24 + 3) * 3_600_000 + 60_000, '2 d 3 h'],
])('%i ms are “%s”: the two largest units', (ms, text) => expect(duration(ms)).toBe(text));

describe('how long Genesis was reachable', () => {
  const words = (upMinutes: number, downMinutes: number, uncheckedMinutes = 0) =>
    reachableInWords({
      upMinutes,
      downMinutes,
      uncheckedMinutes,
      upShare: upMinutes + downMinutes === 0 ? null : upMinutes / (upMinutes + downMinutes),
    });

  test('is rounded down, so that only all of the time is 100%', () => {
    expect(words(1440, 0)).toBe('1 d reachable: 100% of the time checked.');
    expect(words(1439.9, 0.1)).toBe(
      '1 d reachable, less than a minute not reachable: 99.99% of the time checked.',
    );
    expect(words(0, 30)).toBe('30 min not reachable: 0% of the time checked.');
  });

  test('says for how long nobody checked, and before the first check only that', () => {
    expect(words(60, 0, 90)).toBe(
      '1 h reachable: 100% of the time checked. Not checked: 1 h 30 min.',
    );
    expect(words(0, 0, 1440)).toBe('No check has finished yet.');
  });
});

describe('whether the service was running', () => {
  /** `r` for a slot in which a process ran, `.` for one without. */
  const history = (slots: string, since = 0): StatusSummary['history'] => ({
    since: iso(NOON + since * SLOT_MS),
    slots: Array.from(slots, (slot, n) => ({
      at: iso(NOON + n * SLOT_MS),
      checksOk: 0,
      checksFailed: 0,
      latencyMeanMs: null,
      latencyMaxMs: null,
      pingsPerMinute: slot === 'r' ? 1 : null,
      announcesPerMinute: null,
    })),
    genesis: { upMinutes: 0, downMinutes: 0, uncheckedMinutes: 0, upShare: null },
  });

  test('is known of every slot since the history begins; in the current one it does', () => {
    expect(runningIn(history('r.rr'))).toEqual([true, false, true, true]);
    expect(runningIn(history('...'))).toEqual([false, false, true]);
    expect(runningIn(history('..rr', 2))).toEqual([null, null, true, true]);
    // It began within the second slot.
    expect(runningIn(history('..rr', 1.5))).toEqual([null, false, true, true]);
    expect(runningIn({ ...history('..'), since: null })).toEqual([null, true]);
  });

  test('is said in a sentence', () => {
    expect(runningInWords(history('rrrr'), times)).toBe('Running for all of the last 24 hours.');
    expect(runningInWords(history('..rr', 2), times)).toBe(
      'Running since 12:30 UTC, when this history begins.',
    );
    expect(runningInWords(history('r.r..r'), times)).toBe(
      'Running since 13:15 UTC. Before that it was down for about 45 min of the last 24 hours.',
    );
    expect(runningInWords(history('..r.r', 2), times)).toBe(
      'Running since 13:00 UTC. Before that it was down for about 15 min.',
    );
  });
});

describe('the verdict', () => {
  const live: Connection = { state: 'live' };
  const fine = {
    service: { database: 'up', storage: 'ok', degraded: false },
    genesis: { status: 'online', configured: true },
    readModel: { updatedAt: iso(NOON) },
  };
  const of = (
    changed: { service?: object; genesis?: object } = {},
    connection: Connection = live,
  ) =>
    verdict(
      {
        ...fine,
        service: { ...fine.service, ...changed.service },
        genesis: { ...fine.genesis, ...changed.genesis },
      } as unknown as StatusSummary,
      connection,
      times,
    );

  test('is the worst problem there is', () => {
    /** From the least to the worst. */
    const faults = [
      [{ genesis: { status: 'offline' } }, 'idle', /Genesis isn’t responding/],
      [{ service: { degraded: true } }, 'idle', /lists are out of date/],
      [{ service: { storage: 'full' } }, 'offline', /disk is full/],
      [{ service: { database: 'down' } }, 'offline', /database is unavailable/],
    ] as const;
    const together = { service: {}, genesis: {} };
    for (const [fault, state, headline] of faults) {
      expect(of(fault)).toMatchObject({ state, headline: expect.stringMatching(headline) });
      Object.assign(together.service, 'service' in fault && fault.service);
      Object.assign(together.genesis, 'genesis' in fault && fault.genesis);
      expect(of(together).headline).toMatch(headline);
    }
    const unreached = of(together, { state: 'stale', asOf: NOON - 60_000 });
    expect(unreached.headline).toBe('The service isn’t responding');
    expect(unreached.text).toContain('as of 11:59 UTC');
  });

  test.each([
    [{}, 'Everything works and is up to date. Genesis is reachable.'],
    [
      { status: 'unknown' },
      'Everything works and is up to date. The first check of Genesis is in progress.',
    ],
    [
      { status: 'unknown', configured: false },
      'Everything works and is up to date. Genesis isn’t checked.',
    ],
  ])('is that all is well, with Genesis %o', (genesis, text) =>
    expect(of({ genesis })).toEqual({ state: 'online', headline: 'All systems operational', text }),
  );
});
