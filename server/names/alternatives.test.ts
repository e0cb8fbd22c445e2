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
  expect(similarNames(raw)?.words[0]).toBe(name);
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
  expect(similarNames(raw)).toBeNull();
});

test.each<[string, string[], string[]]>([
  ['attic', [], ['attic-lab', 'attic-rack', 'attic-box', 'attic-yard']],
  ['attic-2', [], ['attic', 'attic-lab', 'attic-rack', 'attic-box', 'attic-yard']],
  // One suffix is enough, and none is there twice.
  ['attic-lab', [], ['attic', 'attic-rack', 'attic-box', 'attic-yard']],
  ['attic-lab-2', [], ['attic-lab', 'attic', 'attic-rack', 'attic-box', 'attic-yard']],
  ['my-my-cool', [], ['my-cool', 'cool', 'mycool', 'my-cool-lab']],
  ['my-cool', [], ['cool', 'mycool', 'my-cool-lab']],
  ['the_old_attic', [], ['old_attic', 'theoldattic', 'the_old_attic-lab']],
  ['garage', ['Berlin', 'Werkstatt 3'], ['garage-berlin', 'garage-werkstatt', 'garage-lab']],
  ['garage-berlin', ['Berlin'], ['garageberlin', 'garage-berlin-lab']],
  ['garage', ['', '東京'], ['garage-lab']],
])('instead of %s (%j) one would want %j', (raw, near, names) => {
  expect(similarNames(raw, near)?.words.slice(0, names.length)).toEqual(names);
});

test('numbers come after the stem', () => {
  expect(similarNames('attic-lab-2')?.numbers.slice(0, 2)).toEqual(['attic-2', 'attic-3']);
  expect(similarNames('attic-2')?.numbers).toEqual(
    [3, 4, 5, 6, 7, 8, 9].map((number) => `attic-${number}`),
  );
});

test('similar names are valid, distinct and different, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (raw) => {
      const similar = similarNames(raw, [raw, 'Berlin']);
      const names = similar ? [...similar.words, ...similar.numbers] : [];
      for (const name of names) expect(Name.safeParse(name)).toEqual({ success: true, data: name });
      expect(new Set(names).size).toBe(names.length);
      // No word is put before what was typed.
      if (!/my/i.test(raw)) for (const name of names) expect(name).not.toMatch(/^my[-_]/);
      expect(names).not.toContain(raw);
    }),
    { numRuns: 5000 },
  );
});
