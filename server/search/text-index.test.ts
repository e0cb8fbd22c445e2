import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextIndex } from './text-index.ts';

const idsOf = (index: TextIndex, text: string) => [...index.find(text)].map(({ id }) => id);

test('exact matches come first, then beginnings, then parts, each row once', () => {
  const index = new TextIndex();
  index.set('part', ['my-garage']);
  index.set('prefix', ['garage-2', 'the garage of garages']);
  index.set('exact', ['node_1', 'Garage']);
  index.set('other', ['attic']);
  expect([...index.find('GARAGE')]).toEqual([
    { id: 'exact', rank: 0 },
    { id: 'prefix', rank: 1 },
    { id: 'part', rank: 2 },
  ]);
  expect(idsOf(index, '')).toEqual([]);
});

test('a row is found by its current texts only, and not after it was removed', () => {
  const index = new TextIndex();
  index.set('a', ['first']);
  expect(idsOf(index, 'first')).toEqual(['a']);
  index.set('a', ['second']);
  expect([idsOf(index, 'first'), idsOf(index, 'second')]).toEqual([[], ['a']]);
  index.delete('a');
  index.set('b', ['third']);
  expect([idsOf(index, 'second'), idsOf(index, 'third')]).toEqual([[], ['b']]);
});

test('whatever is added, changed and removed, the same rows are found as by looking at each', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'ü', ' '), maxLength: 4 });
  const change = fc.record({
    id: fc.integer({ min: 0, max: 600 }).map(String),
    texts: fc.option(fc.array(letters, { minLength: 1, maxLength: 2 })),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 800 }), letters, (changes, text) => {
      const index = new TextIndex();
      const rows = new Map<string, string[]>();
      for (const { id, texts } of changes) {
        if (texts) {
          index.set(id, texts);
          rows.set(id, texts);
        } else {
          index.delete(id);
          rows.delete(id);
        }
      }
      const wanted = text.toLowerCase();
      const expected = [...rows].flatMap(([id, texts]) =>
        text !== '' && texts.some((one) => one.toLowerCase().includes(wanted)) ? id : [],
      );
      expect(idsOf(index, text).sort()).toEqual(expected.sort());
    }),
    { numRuns: 60 },
  );
});
