import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patternOf } from './matching.ts';

test('in a pattern, * stands for any text, also none', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', '.'), maxLength: 8 });
  const pattern = fc.string({
    unit: fc.constantFrom('a', 'B', '.', '*'),
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(text, pattern, (text, pattern) => {
      const expression = pattern.replaceAll('.', '\\.').replaceAll('*', '.*');
      expect(patternOf(pattern)(text)).toBe(new RegExp(`^${expression}$`, 'i').test(text));
    }),
    { numRuns: 2000 },
  );
});
