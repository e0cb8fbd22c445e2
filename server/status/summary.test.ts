import { describe, expect, test } from 'vitest';
import { MINUTE_MS, type Minute } from './recorder.ts';
import { reachability, SLOT_MS, slotsOf, statusSince } from './summary.ts';

const at = (time: string) => Date.parse(`2026-07-17T${time}Z`);
const NOW = at('12:07:30');

/** Consecutive minutes from `time` on. */
const from = (time: string, ...minutes: Partial<Minute>[]) =>
  new Map(
    minutes.map((minute, n) => [
      at(time) + n * MINUTE_MS,
      {
        checksOk: 0,
        checksFailed: 0,
        latencySumMs: 0,
        latencyMaxMs: 0,
        pings: 0,
        announces: 0,
        servers: 1,
        ...minute,
      },
    ]),
  );
const up: Partial<Minute> = { checksOk: 6, latencySumMs: 120, latencyMaxMs: 30 };
const down: Partial<Minute> = { checksFailed: 6 };
const mixed: Partial<Minute> = { checksOk: 3, checksFailed: 3, latencySumMs: 60, latencyMaxMs: 20 };

describe('the quarter-hours', () => {
  test('are 96, aligned to the clock, and end with the current one', () => {
    const slots = slotsOf(new Map(), NOW);
    expect(slots).toHaveLength(96);
    expect(slots.at(-1)?.at).toBe('2026-07-17T12:00:00.000Z');
    expect(slots[0]?.at).toBe('2026-07-16T12:15:00.000Z');
  });

  test('are gaps, not zeros, without any minutes', () => {
    expect(slotsOf(new Map(), NOW)[0]).toMatchObject({
      checksOk: 0,
      checksFailed: 0,
      latencyMeanMs: null,
      latencyMaxMs: null,
      pingsPerMinute: null,
      announcesPerMinute: null,
    });
  });

  test('sum checks, and average over successful checks and over complete minutes', () => {
    const minutes = from('12:04:00', { ...up, pings: 90 }, { ...mixed, pings: 30 }, down, {
      ...up,
      pings: 1,
    });
    expect(slotsOf(minutes, NOW).at(-1)).toMatchObject({
      checksOk: 15,
      checksFailed: 9,
      latencyMeanMs: 20,
      latencyMaxMs: 30,
      pingsPerMinute: 40,
      announcesPerMinute: 0,
    });
  });

  test('contain each minute of the day once', () => {
    const day = Array.from({ length: 24 * 60 }, () => ({ checksOk: 1 }));
    const slots = slotsOf(from('00:00:00', ...day), at('23:59:59'));
    expect(slots.map(({ checksOk }) => checksOk)).toEqual(
      Array.from({ length: 96 }, () => SLOT_MS / MINUTE_MS),
    );
  });
});

describe('the share of time in which Genesis answered', () => {
  test('counts a minute by the share of its checks', () => {
    expect(reachability(from('12:04:00', up, mixed, down, up), NOW)).toEqual({
      upMinutes: 2.5,
      downMinutes: 1.5,
      uncheckedMinutes: 0,
      upShare: 0.625,
    });
  });

  test('covers minutes with checks, and counts those without separately', () => {
    const minutes = new Map([...from('12:00:00', up, {}), ...from('12:06:00', up, down)]);
    expect(reachability(minutes, NOW)).toEqual({
      upMinutes: 2,
      downMinutes: 1,
      uncheckedMinutes: 5,
      upShare: 2 / 3,
    });
  });

  test('is null without checks', () => {
    expect(reachability(new Map(), NOW)).toMatchObject({ uncheckedMinutes: 0, upShare: null });
    expect(reachability(from('12:06:00', {}, {}), NOW)).toMatchObject({
      uncheckedMinutes: 2,
      upShare: null,
    });
  });
});

describe('the time since which Genesis has its status', () => {
  test.each([
    ['online', [down, up, {}, up], '12:05:00'],
    ['online', [down, mixed, up, up], '12:05:00'],
    ['offline', [up, up, down, down], '12:06:00'],
    ['offline', [up, down, {}, mixed], '12:07:00'],
    ['offline', [up, up, {}, up], '12:07:00'],
    ['online', [up, up, up, up], null],
    ['unknown', [up, down, {}, {}], null],
  ] as const)('%s after %j: %s', (status, minutes, since) => {
    expect(statusSince(from('12:04:00', ...minutes), status)).toBe(since && at(since));
  });
});
