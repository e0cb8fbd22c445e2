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

/** The public key of a text. @returns null if the text is none */
export function nodeKeyFromText(text: string): KeyObject | null {
  // The last character has two bits to spare: only one of four spellings is the key's own.
  if (!NODE_KEY_PATTERN.test(text) || Buffer.from(text, 'base64url').toString('base64url') !== text)
    return null;
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' });
}

/** A private key as PKCS#8 PEM, for a file that only its owner can read. */
export const nodeKeyToPem = (key: KeyObject): string => key.export(privateKeyEncoding).toString();

/** @throws TypeError if the text is no private key in PEM, or not Ed25519 */
export function nodeKeyFromPem(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (cause) {
    throw new TypeError('This is no private key in PEM.', { cause });
  }
  nodeKeyText(key);
  return key;
}
