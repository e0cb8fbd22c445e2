import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { openEnvelope } from '@mesh-registry/protocol/keys/dsse.ts';
import { NODE_PROOF_TYPE, NodeProof } from '@mesh-registry/protocol/keys/node-key.schema.ts';
import type { AppError } from '#server/common/errors.schema.ts';
import type { Freshness } from './freshness.ts';

type Signed<Proof> = Proof extends unknown ? Omit<Proof, 'created' | 'nonce'> : never;

/** What a proof has to be about: every field has to be the same in it. */
export type ExpectedProof = Signed<NodeProof>;

/**
 * Checks what a node's key has signed to prove an action.
 * @param expected `network` is the base address of this service, as its users know it
 * @param request what the proof is for: with the same request, the same proof may come again. Without it, it may not
 * @returns the key that has signed, as text
 * @throws AppError `signature_invalid`, `unavailable`
 */
export async function verifyNodeProof(
  freshness: Freshness,
  envelope: DsseEnvelope,
  expected: ExpectedProof,
  request?: string,
): Promise<string> {
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
  freshness.spend(created, [key, nonce], request);
  freshness.accept();
  return key;
}

/** Only host and port of the network have to agree: a proxy may speak https for a service that knows only of http. */
const agrees = (field: string, given: unknown, wanted: unknown): boolean =>
  field === 'network' ? hostOf(given) === hostOf(wanted) : given === wanted;

const hostOf = (url: unknown) =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).host : null;

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
