import { expect, it } from 'vitest';
import { printable, printableJson } from './printable.ts';

it.each([
  ['\x1b[2J\x1b[31mred\x1b[0m', 'red'],
  ['\x1b]0;a title\x07text', 'text'],
  ['\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\', 'link'],
  ['\x1bPq…\x1b\\after', 'after'],
  ['\x9b2Jgone\x9d0;title\x9cstays', 'gonestays'],
  ['\x1b[', ''],
  ['\x1bc\x1b(0reset', 'reset'],
  ['a\x00b\x08c\x7fd', 'abcd'],
  ['OK\r\nFAIL\tno\u2028line', 'OK FAIL no line'],
  ['left\u202eright\u2066x\u2069\u200e\u061c', 'leftrightx'],
  ['zero\u200bwidth\ufeff, tags\u{e0041}\u{e007f}', 'zerowidth, tags'],
  ['Grüße, Привет, नमस्ते, 日本, می\u200cخواهم', 'Grüße, Привет, नमस्ते, 日本, می\u200cخواهم'],
])('A text of others becomes one line that a terminal only shows (%j)', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

it('takes time that grows with the length of a text, whatever is in it', () => {
  for (const part of ['\x1b[;;;;', '\x1b]', '\x9b0', '\x1b', '\x1b[0;\x1b('])
    expect(printable(part.repeat(300_000)).length).toBeLessThan(300_000);
});

it('JSON says the same, and a terminal shows no more of it than letters', () => {
  const value = { label: '\x1b[2J\u202e\u{e0041}ü', list: ['\x9b', '\u2028\n'] };
  for (const text of [printableJson(value), printableJson(value, 2)]) {
    expect(JSON.parse(text)).toEqual(value);
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]|\p{Cf}/u);
  }
});
