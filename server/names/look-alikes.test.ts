import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONFUSABLES } from './confusables.ts';
import { looksLikeGenesis, passesForGenesis } from './look-alikes.ts';

const like = (letter: string) =>
  (CONFUSABLES[letter] ?? '')
    .split(' ')
    .map((code) => String.fromCodePoint(Number.parseInt(code, 16)));

test('every letter of Genesis may be any that looks like it, in either case, with marks and blanks', () => {
  const letters = [...'genesis'].map((letter) =>
    fc.tuple(
      fc.constantFrom(letter, letter.toUpperCase(), ...like(letter)),
      fc.constantFrom('', '', '\u0301', '\u034f', ' ', '-', '.'),
    ),
  );
  fc.assert(
    fc.property(fc.tuple(...letters), (written) => {
      const text = written.flat().join('').normalize('NFKC');
      expect([text, looksLikeGenesis(text)]).toEqual([text, true]);
    }),
    { numRuns: 2000 },
  );
});

test('a word with one letter more or less is another one', () => {
  fc.assert(
    fc.property(fc.nat(7), fc.constantFrom(...'bcdfhjkmopqrtuvwxyzжあ'), (at, letter) => {
      expect(looksLikeGenesis(`genesis`.slice(0, at) + letter + `genesis`.slice(at))).toBe(false);
    }),
  );
  for (let at = 0; at < 7; at++)
    expect(looksLikeGenesis(`genesis`.slice(0, at) + `genesis`.slice(at + 1))).toBe(false);
});

test.each(['my-genesis', 'genesis-hub-2', 'genes1s-node', '0genesis0', 'my_genesis_net'])(
  'the name %s passes for it',
  (name) => {
    expect(passesForGenesis(name)).toBe(true);
  },
);

test('any text is judged quickly', () => {
  for (const unit of ['g', '6', 'g ', '6 ', 'ge', 'é', 'е', '1-']) {
    const before = process.cpuUsage();
    looksLikeGenesis(unit.repeat(4096));
    const { user, system } = process.cpuUsage(before);
    expect({ unit, slow: user + system > 200_000 }).toEqual({ unit, slow: false });
  }
});
