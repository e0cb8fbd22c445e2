import { afterEach, expect, test, vi } from 'vitest';
import { exact, exactLocal, zoneLocale } from './clock.ts';

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
