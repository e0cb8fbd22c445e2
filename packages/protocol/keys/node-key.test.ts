import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  generateNodeKey,
  nodeKeyFromPem,
  nodeKeyFromText,
  nodeKeyText,
  nodeKeyToPem,
} from './node-key.ts';

test('a key survives its file and its text', () => {
  const key = generateNodeKey();
  const text = nodeKeyText(key);
  expect(text).toMatch(/^[\w-]{43}$/);
  expect(nodeKeyText(nodeKeyFromPem(nodeKeyToPem(key)))).toBe(text);
  const read = nodeKeyFromText(text);
  expect(read?.type).toBe('public');
  expect(read && nodeKeyText(read)).toBe(text);
  expect(nodeKeyText(createPublicKey(key))).toBe(text);
});

test('many keys can be made and written one after the other', () => {
  const texts = Array.from({ length: 1500 }, () => nodeKeyText(generateNodeKey()));
  expect(new Set(texts).size).toBe(1500);
});

test('each key has one spelling', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const text = nodeKeyText(generateNodeKey());
  const others = [...alphabet].map((last) => text.slice(0, -1) + last);
  const same = others.filter((other) =>
    Buffer.from(other, 'base64url').equals(Buffer.from(text, 'base64url')),
  );
  expect(same).toHaveLength(4);
  expect(same.filter((spelling) => nodeKeyFromText(spelling) !== null)).toEqual([text]);
});

test('no other text is a key, and none makes it fail', () => {
  for (const text of ['', 'A'.repeat(42), 'A'.repeat(44), '='.repeat(43), `${'A'.repeat(42)}+`])
    expect(nodeKeyFromText(text)).toBeNull();
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64url');
      const key = nodeKeyFromText(text);
      expect(key && nodeKeyText(key)).toBe(text);
    }),
  );
});

test('a file with another kind of key, or none, is refused with a reason', () => {
  expect(() => nodeKeyFromPem('garbage')).toThrow('This isn’t a private key in PEM.');
  const { privateKey } = generateKeyPairSync('x25519');
  expect(() => nodeKeyFromPem(nodeKeyToPem(privateKey))).toThrow('must be Ed25519, not x25519');
});
