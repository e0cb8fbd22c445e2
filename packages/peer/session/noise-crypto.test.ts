import { defaultCrypto } from '@libp2p/noise/crypto';
import { expect, test } from 'vitest';
import { noiseCrypto } from './noise-crypto.ts';

test('both sides come to the secret that libp2p comes to, with keys of any bytes', () => {
  for (let round = 0; round < 20; round++) {
    const [one, other] = [
      noiseCrypto.generateX25519KeyPair(),
      defaultCrypto.generateX25519KeyPair(),
    ];
    const secret = Buffer.from(
      noiseCrypto.generateX25519SharedKey(one.privateKey, other.publicKey),
    );
    expect(secret).toHaveLength(32);
    for (const crypto of [noiseCrypto, defaultCrypto]) {
      const theirs = crypto.generateX25519SharedKey(other.privateKey, one.publicKey);
      expect(secret.equals(theirs)).toBe(true);
    }
  }
});

test('a public key for which every secret would be the same is refused', () => {
  const { privateKey } = noiseCrypto.generateX25519KeyPair();
  expect(() => noiseCrypto.generateX25519SharedKey(privateKey, new Uint8Array(32))).toThrow();
});
