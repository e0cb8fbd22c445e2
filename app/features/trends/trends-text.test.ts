import { expect, test } from 'vitest';
import * as texts from './trends-text.ts';

test.each([
  [[0.743, 0.774], null, '77.4% online, 3.1 points more than a day ago'],
  [[0.9, 0.91], 0.92, '91.0% online, 1 point less than 2 days ago'],
  [[0.9, 0.9], null, '90.0% online, as a day ago'],
  [[0.9], null, 'States'],
])('of the shares %j, %j before: “%s”', (values, before, text) =>
  expect(texts.onlineFinding(values, before)).toBe(text),
);

test('the region that grew most is named, and none where none did, or two did alike', () => {
  const region = (name: string, change: number | null) => ({ name, change });
  expect(texts.regionFinding([region('Asia', 3), region('Europe', 4)])).toBe('Europe grew most');
  expect(texts.regionFinding([region('Asia', 4), region('Europe', 4)])).toBe('Regions');
  expect(texts.regionFinding([region('Asia', -1), region('Europe', 0)])).toBe('Regions');
  expect(texts.regionFinding([region('Asia', null)])).toBe('Regions');
});

test.each([
  [{ S: 398, M: 161, L: 53 }, 'Two of three nodes are small'],
  [{ S: 5, M: 5, L: 0 }, 'Half of all nodes are small'],
  [{ S: 1, M: 8, L: 1 }, 'Four of five nodes are medium'],
  [{ S: 60, M: 20, L: 20 }, 'Most nodes are small'],
  [{ S: 4, M: 3, L: 3 }, 'Classes'],
  [{ S: 0, M: 0, L: 9 }, 'All nodes are large'],
  [{ S: 0, M: 1, L: 0 }, 'The node is medium'],
  [{ S: 0, M: 0, L: 0 }, 'Classes'],
  [null, 'Classes'],
])('of the classes %j: “%s”', (sizes, text) => expect(texts.classFinding(sizes)).toBe(text));

test('slots and names are counted as they are on the last day that is known', () => {
  expect(texts.slotsFinding([400, 511], [180, 184])).toBe('511 free slots in 184 offers');
  expect(texts.slotsFinding([1, null], [null])).toBe('1 free slot');
  expect(texts.slotsFinding([], [])).toBe('Free slots');
  expect(texts.namesFinding([231])).toBe('231 active names');
  expect(texts.namesFinding([null])).toBe('Names');
});
