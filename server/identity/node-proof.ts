import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { openEnvelope } from '@mesh-registry/protocol/keys/dsse.ts';
import { NODE_PROOF_TYPE, NodeProof } from '@mesh-registry/protocol/keys/node-key.schema.ts';
import { AppError } from '#server/common/errors.schema.ts';
import type { RequestSigner } from '#server/context.ts';
import type { Freshness } from './freshness.ts';

type Signed<Proof> = Proof extends unknown
  ? Omit<Proof, 'created' | 'nonce' | 'network'> & {
      /** The base address of this service, as its users know it; null if it does not know it. */
      network: string | null;
    }
  : never;

/** What a proof has to be about: every field has to be the same in it. */
export type ExpectedProof = Signed<NodeProof>;

/** What counts proofs as used. */
export interface ProofChecks {
  freshness: Freshness;
  /** @throws as `spendSignature` */
  spend: (signer: RequestSigner, request?: string) => Promise<void>;
}

/**
 * Checks what a node's key has signed to prove an action.
 * @param request what the proof is for: with the same request, the same proof may come again. Without it, it may not
 * @returns the key that has signed, as text
 * @throws AppError `signature_invalid`, `unavailable`
 */
export async function verifyNodeProof(
  { freshness, spend }: ProofChecks,
  envelope: DsseEnvelope,
  expected: ExpectedProof,
  request?: string,
): Promise<string> {
  if (expected.network === null) throw addressUnknown();
  const opened = await openEnvelope(envelope, NODE_PROOF_TYPE);
  if (!opened)
    throw freshness.refusal(
      'malformed',
      `The payloadType of the proof must be ${NODE_PROOF_TYPE}.`,
    );
  const { created, nonce, ...proof } = read(freshness, opened.payload.toString());
  for (const [field, value] of Object.entries(expected))
    if (!agrees(field, (proof as Record<string, unknown>)[field], value))
      throw freshness.refusal(
        'wrong',
        `The proof is for another ${field} than the request: it must be ${String(value)}.`,
      );
  const [key, ...others] = opened.signers;
  if (key === undefined || others.length > 0)
    throw freshness.refusal(
      'wrong',
      key === undefined
        ? 'The signature of the proof does not fit its payload and its keyid.'
        : 'A proof is signed by one key.',
    );
  freshness.requireRecent(created);
  await spend({ key, created, nonce }, request);
  return key;
}

/** The error for a signature that has to name this service. */
export const addressUnknown = (): AppError =>
  new AppError(
    'unavailable',
    'This service cannot check for which service a signature was made, because it does not know its own address. Ask its operator to set PUBLIC_URL.',
    { retryAfter: ADDRESS_RETRY_S },
  );
/** Somebody has to configure and restart the service, seconds. */
const ADDRESS_RETRY_S = 600;

/** Only host and port of the network have to agree: a proxy may speak https for a service that knows only of http. */
const agrees = (field: string, given: unknown, wanted: unknown): boolean =>
  field === 'network' ? isSameHost(given, wanted) : given === wanted;

/** The default port of a scheme is left out, so it counts as none. */
const isSameHost = (given: unknown, wanted: unknown): boolean =>
  typeof given === 'string' &&
  typeof wanted === 'string' &&
  URL.canParse(given) &&
  URL.canParse(wanted) &&
  new URL(given).host === new URL(wanted).host;

function read(freshness: Freshness, text: string): NodeProof {
  const malformed = (): AppError =>
    freshness.refusal(
      'malformed',
      'The payload of the proof must be JSON with network, action, nodeId, created, nonce and the fields of its action, and nothing else.',
    );
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    throw malformed();
  }
  const proof = NodeProof.safeParse(payload);
  if (!proof.success) throw malformed();
  return proof.data;
}
