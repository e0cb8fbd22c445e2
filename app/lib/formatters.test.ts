import {
  dateText,
  dayText,
  left,
  percent,
  roughly,
  span,
  regionName,
  regionText,
} from './formatters.ts';
import { expect, test } from 'vitest';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

test.each([
  [-5 * SECOND, '0 s'],
  [999, '0 s'],
  [119 * SECOND, '119 s'],
  [2 * MINUTE, '2 min'],
  [59 * MINUTE + 59 * SECOND, '59 min'],
  [HOUR, '1 h 0 min'],
  [47 * HOUR + 12 * MINUTE, '47 h 12 min'],
])('%i ms until a moment are “%s”, never more than is left', (ms, text) =>
  expect(left(ms)).toBe(text),
);

test.each([
  [HOUR, '1 hour'],
  [48 * HOUR, '48 hours'],
  [90 * MINUTE, '90 minutes'],
  [2 * MINUTE, '2 minutes'],
  [MINUTE, '60 seconds'],
  [SECOND, '1 second'],
])('a configured span of %i ms is “%s”', (ms, text) => expect(span(ms)).toBe(text));

test.each([
  [0, 'a minute'],
  [89_999, 'a minute'],
  [90_000, '2 minutes'],
  [89 * MINUTE, '89 minutes'],
  [90 * MINUTE, '2 hours'],
  [35 * HOUR, '35 hours'],
  [36 * HOUR, '2 days'],
])('something that takes %i ms takes about “%s”', (ms, text) => expect(roughly(ms)).toBe(text));

test.each([
  [1, '100%'],
  [0.999_999_9, '99.99%'],
  [0.993, '99.30%'],
  [0.99, '99.00%'],
  [0.989_999, '98.9%'],
  [0.57, '57.0%'],
  [0.001, '0.1%'],
  [0.0009, 'under 0.1%'],
  [0, '0%'],
])(
  'a share of %d is “%s”: two decimals from 99 on, and 100% only where nothing is missing',
  (share, text) => expect(percent(share)).toBe(text),
);

test('a day has the same name everywhere', () => {
  expect(dayText('2026-09-07')).toBe('7 Sep');
  expect(dateText('2026-12-31')).toBe('31 Dec 2026');
});

test('a country, a continent and an unknown region have names; other codes stay as they are', () => {
  expect(['DE', 'US', 'EU', 'NA', 'ZZ'].map(regionText)).toEqual([
    'DE (Germany)',
    'US (United States)',
    'EU (Europe)',
    'NA (North America)',
    'ZZ (unknown)',
  ]);
  for (const code of ['US-WEST', 'D', 'QQ', '42', '_-', 'REGION_OF_16_CHR']) {
    expect(regionName(code)).toBeNull();
    expect(regionText(code)).toBe(code);
  }
});
