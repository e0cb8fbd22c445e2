import type { KeyObject } from 'node:crypto';
import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { signEnvelope, signersAmong } from '@mesh-registry/protocol/keys/dsse.ts';
import { keyOfPeerId } from '@mesh-registry/protocol/keys/peer-id.ts';
import { isLoopbackAddress, isPublicAddress } from '../addresses/address-group.ts';
import { PEER_RECORD_TYPE, PeerRecord, ADDRESSES_MAX } from './peer-record.schema.ts';

/** A record that no honest peer would have passed on. */
export class RecordError extends Error {
  constructor(
    readonly reason: 'malformed' | 'network' | 'signature',
    message: string,
  ) {
    super(message);
    this.name = 'RecordError';
  }
}

/** @param key the private key of its subject. @throws RecordError if it is not a record that others take */
export function signRecord(record: PeerRecord, key: KeyObject): DsseEnvelope {
  const envelope = signEnvelope(PEER_RECORD_TYPE, JSON.stringify(record), key);
  openRecord(envelope);
  return envelope;
}

/**
 * What a record says, if its own subject has signed it: who brings it does not matter.
 * @throws RecordError
 */
export function openRecord(envelope: DsseEnvelope): PeerRecord {
  const record = checkClaim(readClaim(envelope));
  requireOwnSignature(envelope, record);
  return record;
}

/** What is in the envelope of a record, in no particular shape. @throws RecordError if that is not JSON */
export function readClaim({ payloadType, payload, signatures }: DsseEnvelope): unknown {
  if (payloadType !== PEER_RECORD_TYPE)
    throw new RecordError('malformed', `Its payloadType must be ${PEER_RECORD_TYPE}.`);
  // Only the subject signs: further signatures would only make everybody's messages longer.
  if (signatures.length !== 1)
    throw new RecordError('malformed', 'A peer record must have one signature.');
  try {
    return JSON.parse(Buffer.from(payload, 'base64').toString());
  } catch {
    throw new RecordError('malformed', 'The peer record is not JSON.');
  }
}

/** @throws RecordError if what {@link readClaim} has read has not the shape of a record. Nobody may believe it yet. */
export function checkClaim(claim: unknown): PeerRecord {
  const result = PeerRecord.safeParse(claim);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  // This goes to a log, so it contains no text that the stranger has written.
  const problem = issue?.code === 'unrecognized_keys' ? 'has an unknown field' : issue?.message;
  throw new RecordError(
    'malformed',
    `The peer record: ${issue?.path.join('.')} ${problem}.`.replace(/ {2,}/g, ' '),
  );
}

/** @throws RecordError if somebody else, or nobody, has signed it */
export function requireOwnSignature(envelope: DsseEnvelope, { peer }: PeerRecord): void {
  const key = keyOfPeerId(peer);
  if (key === null || signersAmong(envelope, PEER_RECORD_TYPE, [key]).size === 0)
    throw new RecordError('signature', `The peer record of ${peer} is not signed by its own key.`);
}

/**
 * Where others are told to reach this peer, eight addresses at most: what the operator announces, else the public ones at
 * which it listens.
 * @param privateAddresses for a network within a private one: if there are none of these, the private ones, and if there
 * are none of these either, those of this machine alone
 */
export function ownAddresses(
  announced: readonly string[] | undefined,
  listening: readonly string[],
  privateAddresses: boolean,
): string[] {
  const outside = listening.filter((address) => !isLoopbackAddress(address));
  const choices = [
    announced ?? [],
    listening.filter(isPublicAddress),
    ...(privateAddresses ? [outside, listening] : []),
  ];
  const told = choices.find(({ length }) => length > 0) ?? [];
  return told.slice(0, ADDRESSES_MAX);
}
