import { afterEach, describe, expect, test, vi } from 'vitest';
import { ago, Clock, exact, exactLocal, zoneLocale } from './clock.ts';

afterEach(() => vi.unstubAllEnvs());

const MOMENT = '2026-07-17T23:03:10.123Z';

test('a moment in UTC is the same text everywhere', () => {
  for (const tz of ['UTC', 'Pacific/Auckland', 'America/St_Johns']) {
    vi.stubEnv('TZ', tz);
    expect(exact(MOMENT)).toBe('2026-07-17 23:03:10 UTC');
    expect(exact(MOMENT, 'minute')).toBe('2026-07-17 23:03 UTC');
    expect(exact(MOMENT, 'clock')).toBe('23:03:10 UTC');
    expect(exact(MOMENT, 'date')).toBe('2026-07-17');
  }
});

test('a moment in the time zone of the device has that zone’s date and time', () => {
  vi.stubEnv('TZ', 'Pacific/Auckland');
  expect(exactLocal(MOMENT)).toMatch(/^2026-07-18 11:03:10 \S+$/);
  expect(exactLocal(MOMENT, 'date')).toBe('2026-07-18');
  vi.stubEnv('TZ', 'America/St_Johns');
  expect(exactLocal(MOMENT, 'minute')).toMatch(/^2026-07-17 20:33 \S+$/);
  expect(exactLocal('2026-01-17T23:03:10.000Z', 'clock')).toMatch(/^19:33:10 \S+$/);
});

test.each([
  ['en-AU', 'en-AU'],
  ['de-AT', 'en-GB'],
  // As Chromium reports on Linux without a locale.
  ['en-US@posix', 'en-GB'],
])('in a browser whose language is %s, time zones have the names of %s', (language, locale) => {
  expect(zoneLocale(language)).toBe(locale);
  expect(() => new Intl.DateTimeFormat(zoneLocale(language))).not.toThrow();
});

describe('an age', () => {
  const now = Date.parse(MOMENT);
  test.each([
    [0, 'now'],
    [999, 'now'],
    [1000, '1 s ago'],
    [59_999, '59 s ago'],
    [60_000, '1 min ago'],
    [3_599_999, '59 min ago'],
    [3_600_000, '1 h ago'],
    [86_399_999, '23 h ago'],
    [86_400_000, '1 d ago'],
    [400 * 86_400_000, '400 d ago'],
  ])('of %i ms is “%s”', (age, text) => expect(ago(now - age, now)).toBe(text));

  test('of a moment in the future is “now”: some clock is slightly off', () =>
    expect(ago(now + 5000, now)).toBe('now'));
});

describe('the clock of a page', () => {
  afterEach(() => vi.useRealTimers());

  test('follows the server’s, on a device whose own is off', () => {
    vi.useFakeTimers({ now: 0 });
    const clock = new Clock();
    expect(clock.now()).toBe(0);
    clock.set(Date.parse(MOMENT));
    vi.advanceTimersByTime(25_000);
    expect(clock.now()).toBe(Date.parse(MOMENT) + 25_000);
    // A later answer sets it again, back too.
    clock.set(Date.parse(MOMENT));
    expect(clock.now()).toBe(Date.parse(MOMENT));
  });

  test('ticks every second for all that show a time, and only while something does', () => {
    vi.useFakeTimers();
    const clock = new Clock();
    expect(vi.getTimerCount()).toBe(0);
    const ticks: [number, number] = [0, 0];
    const first = clock.subscribe(() => ticks[0]++);
    const second = clock.subscribe(() => ticks[1]++);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(3000);
    first();
    vi.advanceTimersByTime(1000);
    expect(ticks).toEqual([3, 4]);
    second();
    expect(vi.getTimerCount()).toBe(0);
    clock.subscribe(() => ticks[0]++);
    vi.advanceTimersByTime(1000);
    expect(ticks).toEqual([4, 4]);
  });
});
