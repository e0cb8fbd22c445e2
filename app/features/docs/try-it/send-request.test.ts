import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indentJson } from './send-request.ts';

test('looks like JSON.stringify, whatever the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test('takes a text that is cut off anywhere', () => {
  const whole = JSON.stringify({ a: [{ b: 'c"\\' }, {}, []], d: -1.5e3, e: null });
  for (let at = 0; at < whole.length; at++) {
    const beginning = indentJson(whole.slice(0, at));
    expect(beginning.replace(/\s/g, '')).toBe(whole.slice(0, at));
  }
});
