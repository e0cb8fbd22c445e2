import { expect, test } from 'vitest';
import { dayAfterKey } from './day-picker.ts';

const none = () => undefined;
const at = (chosen: number) => ({ count: 90, chosen, point: none, choose: none });

test('keys move by a day, a week or to an end, never beyond one, and Escape goes back', () => {
  const moved = (key: string, chosen: number) => dayAfterKey(key, at(chosen));
  expect(moved('ArrowLeft', 5)).toBe(4);
  expect(moved('ArrowRight', 5)).toBe(6);
  expect(moved('ArrowLeft', 0)).toBe(0);
  expect(moved('ArrowRight', 89)).toBe(89);
  expect(moved('PageDown', 5)).toBe(0);
  expect(moved('PageUp', 50)).toBe(57);
  expect(moved('Home', 5)).toBe(0);
  expect(moved('End', 5)).toBe(89);
  expect(moved('Escape', 5)).toBeNull();
  expect(moved('a', 5)).toBeUndefined();
});
