import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Name } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { similarNames } from './alternatives.ts';

test.each([
  ['my name', 'my-name'],
  [' garage ', 'garage'],
  ['Garage!', 'garage'],
  ['-garage-', 'garage'],
  ['me@home', 'me-home'],
  ['🚀 rocket', 'rocket'],
  ['Søren’s   Büro!', 'sorens-buro'],
  ['Đà Nẵng', 'da-nang'],
  ['Straße 5', 'strasse-5'],
  ['Ｇarage²', 'garage2'],
  ['Київ', 'kiiv'],
  ['Αθήνα', 'athina'],
  ['서울', 'seoul'],
  ['the garage behind the old green house', 'the-garage-behind-the-old-green'],
])('%s becomes %s', (raw, name) => {
  expect(similarNames(raw)[0]).toBe(name);
});

test.each([
  '',
  ' ',
  '!?',
  '-_-',
  '🚀',
  '名前',
  'とうきょう',
  'العربية',
  'עברית',
  'กรุงเทพ',
  'garage 東京',
])('nothing is similar to "%s"', (raw) => {
  expect(similarNames(raw)).toEqual([]);
});

test.each([
  ['attic', ['attic-2', 'attic-3', 'my-attic', 'attic-node']],
  ['attic-2', ['attic', 'attic-3', 'my-attic', 'attic-node']],
  ['x', ['x-1', 'x-2', 'x-3', 'my-x']],
])('names similar to %s vary its words and numbers', (raw, names) => {
  expect(similarNames(raw).slice(0, 4)).toEqual(names);
});

test('similar names are valid, distinct and different, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (raw) => {
      const names = similarNames(raw);
      for (const name of names) expect(Name.safeParse(name)).toEqual({ success: true, data: name });
      expect(new Set(names).size).toBe(names.length);
      expect(names).not.toContain(raw);
    }),
    { numRuns: 5000 },
  );
});
