import { z } from 'zod';
import { boundedText } from '../text.schema.ts';

/** The shape of a public key as text. Whether it is one, `nodeKeyFromText` tells. */
export const NODE_KEY_PATTERN = /^[A-Za-z0-9_-]{43}$/;

const NODE_KEY_RULE = 'must be an Ed25519 public key: 32 bytes in base64url, 43 characters';

export const NodeKey = boundedText(43, NODE_KEY_RULE).regex(NODE_KEY_PATTERN, NODE_KEY_RULE).meta({
  description: 'Ed25519 public key of a node: its 32 bytes in base64url, without padding.',
  example: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
});

/** A random text that makes each signature different, and that is accepted once. */
export const NONCE_PATTERN = /^[\x21\x23-\x5b\x5d-\x7e]{16,64}$/;
export const NONCE_RULE =
  'must be 16 to 64 visible ASCII characters without quotes and backslashes';

/** How far the moment of a signature may be off, seconds. */
export const SIGNATURE_MAX_SKEW_S = 300;

/** How far the clocks of a network may differ, milliseconds: what is signed further in the future is not believed. */
export const CLOCK_SKEW_MS = 300_000;

/** The shape of a peer's id. Whether it is that of an Ed25519 key, `keyOfPeerId` tells. */
export const PEER_ID_PATTERN = /^12D3Koo[1-9A-HJ-NP-Za-km-z]{45}$/;

/** The type of the envelopes that hold a proof. */
export const NODE_PROOF_TYPE = 'application/vnd.mesh-registry.node-proof+json';

/** Any text; each has to equal what the request says. */
const Said = boundedText(256);

const COMMON = {
  /** Origin of the service, such as `https://mesh.example.org`: a proof for one network is worth nothing on another. */
  network: Said,
  nodeId: Said,
  /** When it was signed, seconds since 1970. */
  created: z.int('must be a whole number'),
  nonce: boundedText(64, NONCE_RULE).regex(NONCE_PATTERN, NONCE_RULE),
};

/**
 * What the key of a node signs to prove that an action is its own, as the payload of a DSSE envelope. Every field has
 * to agree with the request that carries the proof.
 */
export const NodeProof = z.discriminatedUnion('action', [
  /** A registration of `name` for the node. */
  z.strictObject({ ...COMMON, action: z.literal('start'), name: Said }),
  /** The payment of a registration. */
  z.strictObject({ ...COMMON, action: z.literal('confirm'), name: Said, id: Said }),
  /** The end of a registration, or the release of a name. */
  z.strictObject({ ...COMMON, action: z.literal('cancel'), name: Said, id: Said }),
  /** The node's new key, which signs this, in place of `previous`, which signs the request. */
  z.strictObject({ ...COMMON, action: z.literal('rotate'), key: NodeKey, previous: NodeKey }),
]);
export type NodeProof = z.infer<typeof NodeProof>;
