import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import type { ICryptoInterface } from '@libp2p/noise';
import { defaultCrypto } from '@libp2p/noise/crypto';

const jwk = { kty: 'OKP', crv: 'X25519' } as const;
const text = (key: { subarray: () => Uint8Array }): string =>
  Buffer.from(key.subarray()).toString('base64url');

/**
 * The cryptography of Noise, with Node's own as libp2p has it, but keys come as JWK: on Node 20 it takes OpenSSL seven
 * times as long to read them from DER, and that is most of what a new connection costs.
 */
export const noiseCrypto: ICryptoInterface = {
  ...defaultCrypto,
  generateX25519SharedKey(privateKey, publicKey) {
    const x = text(publicKey);
    return diffieHellman({
      publicKey: createPublicKey({ key: { ...jwk, x }, format: 'jwk' }),
      // Its public half has to be there, and is not looked at.
      privateKey: createPrivateKey({ key: { ...jwk, x, d: text(privateKey) }, format: 'jwk' }),
    });
  },
};
