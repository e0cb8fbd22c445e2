import { createPublicKey, verify } from 'node:crypto';

/**
 * Public keys for which anybody can sign, and how it is done: for a point A of small order, k·A is one of few points
 * whatever is signed, so S = 0 and R = -k·A make a signature that OpenSSL accepts for one message in eight at least.
 */

const Y = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  // The same as the first and the third, by coordinates that are not below the prime.
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
];

/** Every spelling of the eight points, with either sign: 14 keys as texts. */
export const SMALL_ORDER_KEYS: readonly string[] = Y.flatMap((hex) => {
  const [plus, minus] = [Buffer.from(hex, 'hex'), Buffer.from(hex, 'hex')];
  minus.writeUInt8(minus.readUInt8(31) | 0x80, 31);
  return [plus.toString('base64url'), minus.toString('base64url')];
});

/**
 * Signs one of many messages for a key without its private half.
 * @param messageOf the n-th message that would do, such as one with another nonce
 * @returns which one it was, and the signature; OpenSSL accepts it
 */
export function forge(key: string, messageOf: (n: number) => Buffer): { n: number; sig: Buffer } {
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
  for (let n = 0; n < 1000; n++)
    for (const r of SMALL_ORDER_KEYS) {
      const sig = Buffer.concat([Buffer.from(r, 'base64url'), Buffer.alloc(32)]);
      if (verify(null, messageOf(n), publicKey, sig)) return { n, sig };
    }
  throw new Error(`nothing can be forged for ${key}`);
}
