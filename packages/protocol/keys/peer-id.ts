import type { KeyObject } from 'node:crypto';
import { nodeKeyFromText } from './node-key.ts';
import { PEER_ID_PATTERN } from './node-key.schema.ts';

/**
 * The id of a peer is its public key, as libp2p writes it: the bytes of the key with a header of six (an identity
 * multihash, and the protocol buffer of an Ed25519 key), in base 58. So a node's key and its peer id tell the same.
 * https://github.com/libp2p/specs/blob/master/peer-ids/peer-ids.md
 */

const HEADER = Buffer.from([0x00, 0x24, 0x08, 0x01, 0x12, 0x20]);
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** @param key the public key as text */
export function peerIdOfKey(key: string): string {
  // The header begins with a zero byte, which base 58 writes as a leading 1.
  let number = BigInt(
    `0x${Buffer.concat([HEADER, Buffer.from(key, 'base64url')]).toString('hex')}`,
  );
  let text = '';
  for (; number > 0n; number /= 58n) text = ALPHABET.charAt(Number(number % 58n)) + text;
  return `1${text}`;
}

/** The public key of a peer, as text. @returns null if the id is that of no Ed25519 key */
export function keyOfPeerId(id: string): string | null {
  if (!PEER_ID_PATTERN.test(id)) return null;
  let number = 0n;
  for (const letter of id.slice(1)) number = number * 58n + BigInt(ALPHABET.indexOf(letter));
  const bytes = Buffer.from(number.toString(16).padStart(76, '0'), 'hex');
  if (bytes.length !== 38 || !bytes.subarray(0, 6).equals(HEADER)) return null;
  return bytes.subarray(6).toString('base64url');
}

/** The key that checks a peer's signatures. @returns null if the id is that of no Ed25519 key */
export function keyObjectOfPeerId(id: string): KeyObject | null {
  const key = keyOfPeerId(id);
  return key === null ? null : nodeKeyFromText(key);
}
