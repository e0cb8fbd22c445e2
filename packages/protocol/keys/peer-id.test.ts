import { generateKeyPairFromSeed } from '@libp2p/crypto/keys';
import { peerIdFromPrivateKey } from '@libp2p/peer-id';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyOfPeerId, peerIdOfKey } from './peer-id.ts';

test('a key and its peer id tell the same, as libp2p has them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), async (seed) => {
      const key = await generateKeyPairFromSeed('Ed25519', seed);
      const text = Buffer.from(key.publicKey.raw).toString('base64url');
      const id = peerIdFromPrivateKey(key).toString();
      expect(peerIdOfKey(text)).toBe(id);
      expect(keyOfPeerId(id)).toBe(text);
    }),
    { numRuns: 50 },
  );
});

test('what is no peer id of an Ed25519 key has no key', () => {
  const id = peerIdOfKey(Buffer.alloc(32, 7).toString('base64url'));
  for (const text of [
    '',
    '12D3KooW',
    id.slice(0, -1),
    `${id}1`,
    id.replace('12D3Koo', '12D3Kop'),
    `12D3Koo${'z'.repeat(45)}`,
    'QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N',
  ])
    expect(keyOfPeerId(text), text).toBeNull();
});
