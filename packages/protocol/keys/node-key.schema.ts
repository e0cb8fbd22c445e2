import { z } from 'zod';

/** The shape of a public key as text. Whether it is one, `nodeKeyFromText` tells. */
export const NODE_KEY_PATTERN = /^[A-Za-z0-9_-]{43}$/;

export const NodeKey = z
  .string('must be a string')
  .regex(NODE_KEY_PATTERN, 'must be an Ed25519 public key: 32 bytes in base64url, 43 characters')
  .meta({
    description: 'Ed25519 public key of a node: its 32 bytes in base64url, without padding.',
    example: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
  });

/** A random text that makes each signature different, and that is accepted once. */
export const NONCE_PATTERN = /^[\x21\x23-\x5b\x5d-\x7e]{16,64}$/;
export const NONCE_RULE =
  'must be 16 to 64 visible ASCII characters without quotes and backslashes';

/** How far the moment of a signature may be off, seconds. */
export const SIGNATURE_MAX_SKEW_S = 300;
