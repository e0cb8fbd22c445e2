import { expect, test } from 'vitest';
import { Recent } from './recent.ts';

function searches() {
  const recent = new Recent<{ updatedAt: string }>(50);
  let made = 0;
  const at = (now: number, key = '/registry') =>
    recent.get(key, now, () => ({ updatedAt: String(++made) })).updatedAt;
  return { at, made: () => made };
}

test('a page is made once a second for all who ask', () => {
  const { at } = searches();
  expect([at(5000), at(5000), at(5999), at(6000), at(6500)]).toEqual(['1', '1', '1', '2', '2']);
});

test('each search has its own page, and a clock that is set back makes a new one', () => {
  const { at } = searches();
  expect([at(5000), at(5000, '/registry?q=a'), at(5000), at(4000)]).toEqual(['1', '2', '1', '3']);
});

test('many searches forget the oldest only', () => {
  const { at, made } = searches();
  for (let n = 0; n < 60; n++) at(5000, String(n));
  expect(made()).toBe(60);
  for (let n = 10; n < 60; n++) at(5000, String(n));
  expect(made()).toBe(60);
  at(5000, '0');
  expect(made()).toBe(61);
});
