import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintOf, NonceMemory } from './nonce-memory.ts';

const NOW = 1_784_289_790;

test('a nonce is accepted once, as long as its signature is', () => {
  const memory = new NonceMemory();
  const nonce = fingerprintOf('key', 'nonce');
  for (const created of [NOW - 300, NOW, NOW + 300]) {
    expect(memory.add(nonce, created, NOW)).toBe('added');
    for (let now = NOW; now <= created + 300; now += 10)
      expect(memory.add(nonce, created, now)).toBe('known');
  }
});

test('nonces are forgotten once their signatures are too old', () => {
  const memory = new NonceMemory();
  for (let now = NOW; now < NOW + 7200; now++) memory.add(fingerprintOf(String(now)), now, now);
  expect(memory.size).toBeLessThanOrEqual(300 + 3 * 60 + 1);
});

test('a clock that is set back by two minutes makes no replay possible', () => {
  const memory = new NonceMemory();
  const nonce = fingerprintOf('key', 'nonce');
  memory.add(nonce, NOW, NOW);
  memory.add(fingerprintOf('later'), NOW + 400, NOW + 400);
  expect(memory.add(nonce, NOW, NOW + 280)).toBe('known');
});

test('a full minute accepts no more, other minutes do', () => {
  const memory = new NonceMemory(2);
  expect(['a', 'b', 'c', 'a'].map((n) => memory.add(fingerprintOf(n), NOW, NOW))).toEqual([
    'added',
    'added',
    'full',
    'known',
  ]);
  expect(memory.add(fingerprintOf('c'), NOW + 60, NOW)).toBe('added');
});

test('it remembers exactly what was added, also while it grows and where digests are alike', () => {
  const fingerprint = fc.record({
    high: fc.integer({ min: 0, max: 3 }),
    low: fc.integer({ min: 1, max: 3000 }),
  });
  fc.assert(
    fc.property(fc.array(fingerprint, { maxLength: 5000, size: 'max' }), (nonces) => {
      const memory = new NonceMemory();
      const known = new Set<string>();
      for (const nonce of nonces) {
        const text = `${nonce.high} ${nonce.low}`;
        expect(memory.add(nonce, NOW, NOW)).toBe(known.has(text) ? 'known' : 'added');
        known.add(text);
      }
      expect(memory.size).toBe(known.size);
    }),
    { numRuns: 20 },
  );
});
