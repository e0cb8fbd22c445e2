import { sign, verify, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { DsseEnvelope, SignedDocument } from './dsse.schema.ts';
import { nodeKeyFromText, nodeKeyText } from './node-key.ts';

/** DSSE envelopes with Ed25519 signatures. */

/** What is signed: type and payload with their lengths, so that neither can be taken for the other (PAE of DSSE 1.0). */
function signedBytes(payloadType: string, payload: Buffer): Buffer {
  const type = Buffer.from(payloadType);
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${type.length} `),
    type,
    Buffer.from(` ${payload.length} `),
    payload,
  ]);
}

/** Puts a payload into an envelope. @param keys private ones; each adds a signature */
export function signEnvelope(
  payloadType: string,
  payload: string | Uint8Array,
  ...keys: KeyObject[]
): DsseEnvelope {
  const bytes = Buffer.from(payload as Uint8Array);
  const signed = signedBytes(payloadType, bytes);
  return {
    payloadType,
    payload: bytes.toString('base64'),
    signatures: keys.map((key) => ({
      keyid: nodeKeyText(key),
      sig: sign(null, signed, key).toString('base64'),
    })),
  };
}

/** A signature alone, for what is not kept: both sides of a conversation know the payload. @returns base64 */
export const signDetached = (payloadType: string, payload: string, key: KeyObject): string =>
  sign(null, signedBytes(payloadType, Buffer.from(payload)), key).toString('base64');

/** Whether {@link signDetached} has made it with the private half of a key. */
export const isSignedDetached = (
  payloadType: string,
  payload: string,
  key: KeyObject,
  signature: string,
): boolean =>
  verify(
    null,
    signedBytes(payloadType, Buffer.from(payload)),
    key,
    Buffer.from(signature, 'base64'),
  );

const verifyInPool = promisify(verify);

/**
 * The payload of an envelope, with the distinct keys that have signed it. Signatures that are none, or by something
 * that is no key, are left out: who has to have signed is for the caller.
 * @returns null if the envelope is of another type
 */
export async function openEnvelope(
  envelope: DsseEnvelope,
  payloadType: string,
): Promise<{ payload: Buffer; signers: Set<string> } | null> {
  if (envelope.payloadType !== payloadType) return null;
  const payload = Buffer.from(envelope.payload, 'base64');
  const signed = signedBytes(payloadType, payload);
  const signers = new Set<string>();
  for (const { keyid, sig } of envelope.signatures) {
    const key = nodeKeyFromText(keyid);
    if (key && (await verifyInPool(null, signed, key, Buffer.from(sig, 'base64'))))
      signers.add(keyid);
  }
  return { payload, signers };
}

/**
 * Which of some keys have signed a document. Each counts once, however often it has signed.
 * @param keys as texts; the signatures of others are not even checked
 */
export function signersAmong(
  { payloadType, payload, signatures }: SignedDocument,
  type: string,
  keys: readonly string[],
): Set<string> {
  const signers = new Set<string>();
  if (payloadType !== type) return signers;
  const signed = signedBytes(type, Buffer.from(payload, 'base64'));
  for (const { keyid, sig } of signatures) {
    if (signers.has(keyid) || !keys.includes(keyid)) continue;
    const key = nodeKeyFromText(keyid);
    if (key && verify(null, signed, key, Buffer.from(sig, 'base64'))) signers.add(keyid);
  }
  return signers;
}
