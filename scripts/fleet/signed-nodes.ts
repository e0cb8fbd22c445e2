import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';

/** What PKCS#8 puts before the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The private key of a simulated node. The same seed gives the same keys, so that a fleet that starts again is known
 * to a service that has pinned them; whoever knows the seed knows the keys.
 */
export function simulatedKey(seed: number, nodeId: string): KeyObject {
  const bytes = createHash('sha256').update(`mesh-registry fleet ${seed} ${nodeId}`).digest();
  return createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, bytes]),
    format: 'der',
    type: 'pkcs8',
  });
}
