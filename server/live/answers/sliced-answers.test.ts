import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SlicedAnswers, type TextAsker, type TextPart } from './sliced-answers.ts';

const PARTS = 20;

const asker = (client = 'a', own: Partial<TextAsker> = {}): TextAsker => ({
  client,
  signal: new AbortController().signal,
  count: () => undefined,
  ...own,
});

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
    answers.get(
      n % 3 === 1 ? 'b' : 'a',
      parts,
      7,
      asker('a', { count: (lookups) => (counts += lookups) }),
    ),
  );
  const [first, other, ...same] = await Promise.all(asked);
  done = true;
  await counting;
  expect([same[0], same[1], same[2]]).toEqual([first, first, other]);
  expect([a.made, b.made, counts]).toEqual([1, 1, 14]);
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
  await expect(answers.get('a', text.parts, 1, asker('a', { count: refuse }))).rejects.toThrow(
    'too many',
  );
  const failing = function* (): Generator<TextPart> {
    yield { text: 'a' };
    throw new Error('broken');
  };
  await expect(answers.get('a', failing, 1, asker())).rejects.toThrow('broken');
  await answers.get('a', text.parts, 1, asker());
  expect(text.made).toBe(1);
});

test('a client that asks for many texts holds up another for one of them, and nothing is made for who has gone', async () => {
  const answers = new SlicedAnswers();
  const notes: string[] = [];
  const made = (name: string) => counted(name, notes).parts;
  const gone = new AbortController();
  const ask = (client: string, name: string, own: Partial<TextAsker> = {}) =>
    answers.get(name, made(name), 1, asker(client, own));
  const greedy = ['1', '2', '3', '4', '5'].map((name) =>
    ask('greedy', name, name === '3' ? { signal: gone.signal } : {}),
  );
  const others = [ask('other', 'x'), ask('third', '4')];
  gone.abort(new Error('hung up'));
  const ends = await Promise.allSettled([...greedy, ...others]);
  expect(ends.map(({ status }) => status === 'fulfilled')).toEqual([
    true,
    true,
    false,
    true,
    false,
    true,
    true,
  ]);
  expect(ends[4]).toMatchObject({ reason: { code: 'unavailable', retryAfter: 10 } });
  expect([...new Set(notes)].join('')).toBe('1x42');
  expect(notes).toHaveLength(4 * PARTS);
});

test('a text that others wait for is made once, however many are asked for meanwhile', async () => {
  const answers = new SlicedAnswers();
  const texts = Array.from({ length: 7 }, (_, n) => counted(`${n}`, []));
  const ask = () => texts.map(({ parts }, n) => answers.get(`${n}`, parts, 1, asker(`${n}`)));
  await Promise.all([...ask(), ...ask()]);
  expect(texts.map(({ made }) => made)).toEqual(Array(7).fill(1));
});
