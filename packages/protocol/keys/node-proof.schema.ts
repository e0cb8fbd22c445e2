import { z } from 'zod';
import { NodeKey, NONCE_PATTERN, NONCE_RULE } from './node-key.schema.ts';

/** The type of the envelopes that hold a proof. */
export const NODE_PROOF_TYPE = 'application/vnd.mesh-registry.node-proof+json';

const text = z.string('must be a string').max(256, 'must be at most 256 characters');

const COMMON = {
  /** Origin of the service, such as `https://mesh.example.org`: a proof for one network is worth nothing on another. */
  network: text,
  nodeId: text,
  /** When it was signed, seconds since 1970. */
  created: z.int('must be a whole number'),
  nonce: z.string('must be a string').regex(NONCE_PATTERN, NONCE_RULE),
};

/**
 * What the key of a node signs to prove that an action is its own, as the payload of a DSSE envelope. Every field has
 * to agree with the request that carries the proof.
 */
export const NodeProof = z.discriminatedUnion('action', [
  /** A registration of `name` for the node. */
  z.strictObject({ ...COMMON, action: z.literal('start'), name: text }),
  /** The payment of a registration. */
  z.strictObject({ ...COMMON, action: z.literal('confirm'), name: text, id: text }),
  /** The end of a registration, or the release of a name. */
  z.strictObject({ ...COMMON, action: z.literal('cancel'), name: text, id: text }),
  /** The node's new key, which signs this, in place of `previous`, which signs the request. */
  z.strictObject({ ...COMMON, action: z.literal('rotate'), key: NodeKey, previous: NodeKey }),
]);
export type NodeProof = z.infer<typeof NodeProof>;
