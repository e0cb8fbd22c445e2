import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { NODE_KEY_PATTERN } from './node-key.schema.ts';

/**
 * A node's key is an Ed25519 key. As text, its public half is the base64url of its 32 bytes: 43 characters. There is
 * one spelling of each key, so keys can be compared as texts.
 */

/**
 * A new private key. Through its file format: on Node 20, exporting a generated key as it is can wait forever for a lock
 * that the garbage collection of another one holds.
 */
export const generateNodeKey = (): KeyObject =>
  createPrivateKey(
    generateKeyPairSync('ed25519', { publicKeyEncoding, privateKeyEncoding }).privateKey,
  );

const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;

/** A public key as text. @param key private or public. @throws TypeError if it is not Ed25519 */
export function nodeKeyText(key: KeyObject): string {
  if (key.asymmetricKeyType !== 'ed25519')
    throw new TypeError(
      `The key of a node must be Ed25519, not ${key.asymmetricKeyType ?? key.type}.`,
    );
  return key.export({ format: 'jwk' }).x ?? '';
}

/**
 * The public key of a text.
 * @returns null if the text is none, or one that {@link isForgeable}
 */
export function nodeKeyFromText(text: string): KeyObject | null {
  if (!NODE_KEY_PATTERN.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  // The last character has two bits to spare: only one of four spellings is the key's own.
  if (bytes.toString('base64url') !== text || isForgeable(bytes)) return null;
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' });
}

/**
 * The y coordinates of the eight points of small order, little-endian, without the sign of x: orders 1, 2, 4, and 8 twice.
 * Table 2 of "Taming the Many EdDSAs" (Chalkias, Garillot, Nikolaenko, 2020), https://eprint.iacr.org/2020/1244
 */
const SMALL_ORDER: readonly Buffer[] = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map((hex) => Buffer.from(hex, 'hex'));

/** The prime of the field, 2^255 - 19, little-endian. A coordinate is smaller, or has a second spelling. */
const PRIME = Buffer.from(`ed${'ff'.repeat(30)}7f`, 'hex');

/**
 * Whether somebody without a private key can sign for a public key: its point has small order, so one signature fits every
 * message, or every eighth. Also for a key that is not written as RFC 8032 says. OpenSSL, and so Node, accepts both.
 */
function isForgeable(key: Buffer): boolean {
  const y = Buffer.from(key);
  y.writeUInt8(y.readUInt8(31) & 0x7f, 31);
  const isReduced = Buffer.from(y).reverse().compare(Buffer.from(PRIME).reverse()) < 0;
  return !isReduced || SMALL_ORDER.some((point) => point.equals(y));
}

/** A private key as PKCS#8 PEM, for a file that only its owner can read. */
export const nodeKeyToPem = (key: KeyObject): string => key.export(privateKeyEncoding).toString();

/** @throws TypeError if the text is no private key in PEM, or not Ed25519 */
export function nodeKeyFromPem(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (cause) {
    throw new TypeError('This isn’t a private key in PEM.', { cause });
  }
  nodeKeyText(key);
  return key;
}
