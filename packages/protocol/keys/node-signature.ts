import { hash, randomBytes, sign, type KeyObject } from 'node:crypto';
import { createSignatureSync } from 'http-message-sig';
import { nodeKeyText } from './node-key.ts';
import type { DsseEnvelope } from './dsse.schema.ts';
import { signEnvelope } from './dsse.ts';
import { NODE_PROOF_TYPE, type NodeProof } from './node-key.schema.ts';

/** Requests signed by the key of a node: HTTP Message Signatures, RFC 9421. */

/** Tells our signatures from others that a request may carry. */
export const SIGNATURE_TAG = 'mesh-node';
/** The name of the signature in both headers. Any other does as well, if there is only one signature. */
export const SIGNATURE_LABEL = 'node';
export const SIGNATURE_ALGORITHM = 'ed25519';
/** The component that names the service. */
export const AUTHORITY = '@authority';

/** What a signature has to cover: all of it, and nothing else. The authority is the host of the service, with its port. */
export const signedComponents = (hasBody: boolean): readonly string[] =>
  hasBody ? WITH_BODY : WITHOUT_BODY;
const WITHOUT_BODY = ['@method', '@path', AUTHORITY];
const WITH_BODY = [...WITHOUT_BODY, 'content-digest'];

/** The value of the header Content-Digest (RFC 9530). @param body as it is sent; a text in UTF-8 */
export const contentDigest = (body: string | Uint8Array): string =>
  `sha-256=:${hash('sha256', body, 'base64')}:`;

export interface RequestToSign {
  method: string;
  url: URL;
  /** Null if there is none. */
  body: string | null;
}

/**
 * The headers that sign a request. Each attempt needs its own: a signature is accepted once, and for five minutes.
 * @param key the private key of the node
 * @param now milliseconds since 1970
 */
export function signRequest(
  { method, url, body }: RequestToSign,
  key: KeyObject,
  now = Date.now(),
): Record<string, string> {
  const digest = body === null ? null : contentDigest(body);
  const { signature, signatureInput } = createSignatureSync(
    {
      kind: 'request',
      method,
      targetUri: url.href,
      fields: digest === null ? [] : [{ name: 'content-digest', value: digest }],
    },
    {
      label: SIGNATURE_LABEL,
      components: signedComponents(body !== null),
      parameters: {
        created: Math.floor(now / 1000),
        nonce: randomBytes(18).toString('base64url'),
        keyid: nodeKeyText(key),
        tag: SIGNATURE_TAG,
      },
      signer: { algorithm: SIGNATURE_ALGORITHM, sign: (data) => sign(null, data, key) },
    },
  );
  return {
    ...(digest === null ? {} : { 'content-digest': digest }),
    'signature-input': signatureInput,
    signature,
  };
}

/** The hook `authorize` of the typed client, which then signs what nodes send. @param now milliseconds since 1970 */
export const signWith =
  (key: KeyObject, now: () => number = Date.now) =>
  (request: RequestToSign): Record<string, string> =>
    signRequest(request, key, now());

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
