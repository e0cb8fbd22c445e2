import { randomBytes, type KeyObject } from 'node:crypto';
import type { DsseEnvelope } from './dsse.schema.ts';
import { signEnvelope } from './dsse.ts';
import { NODE_PROOF_TYPE, type NodeProof } from './node-proof.schema.ts';

type Unsigned<Proof> = Proof extends unknown ? Omit<Proof, 'created' | 'nonce'> : never;

/**
 * Signs a proof.
 * @param key the private key of the node; for `rotate` its new one
 * @param now milliseconds since 1970
 */
export function signNodeProof(
  proof: Unsigned<NodeProof>,
  key: KeyObject,
  now = Date.now(),
): DsseEnvelope {
  const signed = {
    ...proof,
    created: Math.floor(now / 1000),
    nonce: randomBytes(18).toString('base64url'),
  };
  return signEnvelope(NODE_PROOF_TYPE, JSON.stringify(signed), key);
}
