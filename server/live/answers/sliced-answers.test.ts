import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SlicedAnswers, type TextPart } from './sliced-answers.ts';

const PARTS = 20;

/** The parts of a text that counts how often it is made, and notes each part. */
function counted(name: string, notes: string[]) {
  const text = { made: 0, parts };
  function* parts(): Generator<TextPart> {
    text.made++;
    for (let n = 0; n < PARTS; n++) {
      notes.push(name);
      yield { text: `${name}${n} ` };
    }
  }
  return text;
}

test('a text is made once for all who ask meanwhile, in turns of the event loop, one text after the other', async () => {
  const answers = new SlicedAnswers();
  const notes: string[] = [];
  const [a, b] = [counted('a', notes), counted('b', notes)];
  let turns = 0;
  let done = false;
  const counting = (async () => {
    for (; !done; turns++) await turn();
  })();
  let counts = 0;
  const asked = [a, b, a, a, b].map(({ parts }, n) =>
    answers.get(n % 3 === 1 ? 'b' : 'a', parts, () => counts++),
  );
  const [first, other, ...same] = await Promise.all(asked);
  done = true;
  await counting;
  expect([same[0], same[1], same[2]]).toEqual([first, first, other]);
  expect([a.made, b.made, counts]).toEqual([1, 1, 2]);
  expect(turns).toBeGreaterThanOrEqual(2 * PARTS);
  expect(notes.join('')).toBe('a'.repeat(PARTS) + 'b'.repeat(PARTS));
  const { body, etag } = await (first as Awaited<(typeof asked)[0]>).in('identity');
  expect(body.toString()).toBe(Array.from({ length: PARTS }, (_, n) => `a${n} `).join(''));
  expect(etag).toBe(first?.etag);
});

test('what may not be made, or fails, is made anew for the next one', async () => {
  const answers = new SlicedAnswers();
  const refuse = () => {
    throw new Error('too many');
  };
  const text = counted('a', []);
  expect(() => answers.get('a', text.parts, refuse)).toThrow('too many');
  const failing = function* (): Generator<TextPart> {
    yield { text: 'a' };
    throw new Error('broken');
  };
  await expect(answers.get('a', failing, () => undefined)).rejects.toThrow('broken');
  await answers.get('a', text.parts, () => undefined);
  expect(text.made).toBe(1);
});
