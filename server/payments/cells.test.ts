import { expect, test } from 'vitest';
import { readMoment, readMoney } from './cells.ts';

test.each([
  ['2026-11-20 14:03:11 PST', 'ymd', '2026-11-20T22:03:11.000Z'],
  ['2026-07-20 14:03:11 EDT', 'ymd', '2026-07-20T18:03:11.000Z'],
  ['2026-11-20T14:03:11.250Z', 'ymd', '2026-11-20T14:03:11.000Z'],
  ['2026-11-20 14:03 +05:30', 'ymd', '2026-11-20T08:33:00.000Z'],
  ['20.11.26', 'dmy', '2026-11-20T00:00:00.000Z'],
  ['11/20/2026, 2:03 PM', 'mdy', '2026-11-20T14:03:00.000Z'],
  ['12/31/2026 12:00 am', 'mdy', '2026-12-31T00:00:00.000Z'],
  ['2028-02-29', 'ymd', '2028-02-29T00:00:00.000Z'],
  ['2027-02-29', 'ymd', null],
  ['20.11.2026', 'ymd', null],
  ['2026-11-20 25:00', 'ymd', null],
  ['2026-11-20 14:03:11 NOPE', 'ymd', null],
  ['1926-11-20', 'ymd', null],
  ['', 'ymd', null],
  [`2026-11-20${' '.repeat(100)}14:03`, 'ymd', null],
] as const)('the date %j (%s) is %s', (cell, order, expected) => {
  const at = readMoment(cell, order);
  expect(at === null ? null : new Date(at).toISOString()).toBe(expected);
});

test.each([
  ['$5.00', 500, 'USD'],
  ['-$5.00', -500, 'USD'],
  ['$-5.00', -500, 'USD'],
  ['$1,000.00', 100_000, 'USD'],
  ['1.000,00', 100_000, null],
  ['1 000,5', 100_050, null],
  ["1'000.00 CHF", 100_000, 'CHF'],
  ['5', 500, null],
  ['(5.00)', -500, null],
  ['5,00-', -500, null],
  ['\u22125.00 USD', -500, 'USD'],
  ['5.00 €', 500, '€'],
  ['1,000', 100_000, null],
] as const)('the amount %j is %i cents of %s', (cell, cents, currency) => {
  expect(readMoney(cell)).toEqual({ cents, currency });
});

test.each([
  '',
  '$',
  'five',
  '5.0.0',
  '1,00,000.00',
  '5.0000',
  '(5.00',
  '99999999999',
  '0x10',
  '1e3',
  `5${' '.repeat(100)}$`,
])('the amount %j is none', (cell) => expect(readMoney(cell)).toBeNull());
