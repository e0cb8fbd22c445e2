import { createHash } from 'node:crypto';
import type { SignedDocument } from '../keys/dsse.schema.ts';
import { signersAmong } from '../keys/dsse.ts';
import { parseJsonAs } from '../rest/issues.schema.ts';
import { Root, Truth, type Role } from './truth.schema.ts';

/** Why a document is not believed. */
export type Distrust =
  /** Not JSON of this shape. */
  | 'malformed'
  /** Fewer of the role's keys have signed than have to. */
  | 'signature'
  /** Of another network. */
  | 'network'
  /** A root that is not the next one. */
  | 'gap'
  /** Older than what is believed: its version, its moment, or its log. */
  | 'rollback'
  /** Another document of a version that is believed: somebody has signed two. */
  | 'fork'
  | 'expired'
  /** From the future. */
  | 'future';

export class TrustError extends Error {
  constructor(
    readonly reason: Distrust,
    message: string,
  ) {
    super(message);
    this.name = 'TrustError';
  }
}

/** A document, or a file, that has not the shape that it should have. */
export const malformed = (message: string) => new TrustError('malformed', message);

const textOf = ({ payload }: SignedDocument) => Buffer.from(payload, 'base64').toString();

/** The content of a signed root; its signatures are not looked at. @throws TrustError `malformed` */
export const readRoot = (document: SignedDocument): Root =>
  parseJsonAs(Root, textOf(document), 'The root', malformed);

/** The content of a signed truth; its signatures are not looked at. @throws TrustError `malformed` */
export const readTruth = (document: SignedDocument): Truth =>
  parseJsonAs(Truth, textOf(document), 'The truth', malformed);

/** Whether as many keys of a role have signed as have to. */
export const isSigned = (
  document: SignedDocument,
  type: string,
  { keys, threshold }: Role,
): boolean => signersAmong(document, type, keys).size >= threshold;

/** @throws TrustError `malformed` if it is of another type, or `signature` */
export function requireSigned(
  document: SignedDocument,
  type: string,
  role: Role,
  problem: string,
): void {
  if (document.payloadType !== type) throw malformed(`Its payloadType must be ${type}.`);
  const { size } = signersAmong(document, type, role.keys);
  if (size < role.threshold)
    throw new TrustError(
      'signature',
      `${problem}: ${size} of ${role.threshold} signatures that are needed.`,
    );
}

/** Whether two documents sign the same bytes: base64 has several spellings of them. */
export const sameBytes = (one: SignedDocument, other: SignedDocument | undefined): boolean =>
  other !== undefined &&
  Buffer.from(one.payload, 'base64').equals(Buffer.from(other.payload, 'base64'));

/** SHA-256 of the signed bytes in hex: what two people compare to know that they have the same document. */
export const fingerprint = ({ payload }: SignedDocument): string =>
  createHash('sha256').update(Buffer.from(payload, 'base64')).digest('hex');
