import {
  DOCUMENT_PAYLOAD_MAX,
  type SignedDocument,
} from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { signEnvelope, signersAmong } from '@mesh-registry/protocol/keys/dsse.ts';
import { ROOT_TYPE, TRUTH_TYPE, type Role } from '@mesh-registry/protocol/truth/truth.schema.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { CommandError, EXIT, usageError } from '../base/exit.ts';
import { believing, type Content, type TruthFile } from './files.ts';
import type { HolderKey } from './key.ts';
import { checkTruth, type Known } from './known.ts';

/** Adds signatures to roots and truths. Each holder checks all of it before signing, on a machine of their own. */

/** Whose signatures a document needs, and has. */
export interface Need {
  /** `the root keys of root 1` */
  name: string;
  threshold: number;
  signers: string[];
  /** Those of the keys that have not signed. */
  missing: string[];
}

/**
 * Adds a signature, if a peer could believe the document once all have signed.
 * @param known what peers believe so far; null is enough for a network's first root
 * @param now milliseconds since 1970
 * @returns whether this key had not signed yet is `added`
 * @throws CommandError that says what to change
 */
export function addSignature(
  file: Exclude<TruthFile, { kind: 'published' }>,
  { key, publicKey }: HolderKey,
  known: Known | null,
  now: number,
): { document: SignedDocument; added: boolean; needs: Need[] } {
  const trust = known?.trust ?? null;
  requireSignable(file.content, known, now);
  const roles = rolesOf(file.content, trust);
  const unsigned = envelopeOf(file);
  requireWhole(unsigned, roles);
  if (unsigned.payload.length > DOCUMENT_PAYLOAD_MAX)
    throw new CommandError(
      `This is too long for peers to pass on: ${unsigned.payload.length} characters in base64, and at most ${DOCUMENT_PAYLOAD_MAX} go. Shorten the reasons of its bans, or remove bans that have ended.`,
      EXIT.failed,
    );
  if (!roles.some(({ role }) => role.keys.includes(publicKey)))
    throw new CommandError(notOfRole(publicKey, roles, trust, file.content));
  const added = !unsigned.signatures.some(({ keyid }) => keyid === publicKey);
  const payload = Buffer.from(unsigned.payload, 'base64');
  const document = added
    ? {
        ...unsigned,
        signatures: [
          ...unsigned.signatures,
          ...signEnvelope(unsigned.payloadType, payload, key).signatures,
        ],
      }
    : unsigned;
  return { document, added, needs: roles.map((role) => needOf(role, document)) };
}

/** Whether all have signed who have to. */
export const isComplete = (needs: readonly Need[]): boolean =>
  needs.every(({ signers, threshold }) => signers.length >= threshold);

interface NamedRole {
  name: string;
  role: Role;
}

/** The roles that have to sign: for a later root, those of the root before and its own. */
function rolesOf(content: Content, trust: Trust | null): NamedRole[] {
  if (content.type === 'truth') {
    // `requireSignable` has asked for it.
    const root = trust?.root;
    return root ? [{ name: `the truth keys of root ${root.version}`, role: root.roles.truth }] : [];
  }
  return [trust?.root, content.value]
    .filter((root) => root !== undefined)
    .map(({ version, roles }) => ({ name: `the root keys of root ${version}`, role: roles.root }));
}

function requireSignable(content: Content, known: Known | null, now: number): void {
  const { expires, version } = content.value;
  if (Date.parse(expires) <= now)
    throw new CommandError(`It expired at ${expires}. Draft it anew, with a later --expires.`);
  if (known === null) {
    if (content.type === 'root' && version === 1) return;
    throw usageError(
      content.type === 'root'
        ? `Root ${version} follows another one. Name what the network has published: --trust truth.json`
        : 'A truth is signed by keys that the root names. Name the network’s root, or what it has published: --trust truth.json',
    );
  }
  believing('This must not be signed. ', () => {
    if (content.type === 'root') known.trust.checkRoot(content.value);
    else checkTruth(known, content.value);
  });
}

function envelopeOf(file: Exclude<TruthFile, { kind: 'published' }>): SignedDocument {
  if (file.kind === 'signed') return file.document;
  const { type, value } = file.content;
  return signEnvelope(type === 'root' ? ROOT_TYPE : TRUTH_TYPE, JSON.stringify(value));
}

/** A file that was changed after others have signed must not go on to the next holder. */
function requireWhole(document: SignedDocument, roles: readonly NamedRole[]): void {
  const keys = new Set(roles.flatMap(({ role }) => role.keys));
  for (const { keyid } of document.signatures) {
    if (!keys.has(keyid))
      throw new CommandError(
        `It has a signature of ${keyid}, which is a key of no role that signs it. Begin again from the draft.`,
      );
    if (!signersAmong(document, document.payloadType, [keyid]).has(keyid))
      throw new CommandError(
        `The signature of ${keyid} does not fit: the file was changed after it. Ask for it again, or begin again from the draft.`,
      );
  }
}

function needOf({ name, role: { keys, threshold } }: NamedRole, document: SignedDocument): Need {
  const signed = signersAmong(document, document.payloadType, keys);
  return {
    name,
    threshold,
    signers: keys.filter((key) => signed.has(key)),
    missing: keys.filter((key) => !signed.has(key)),
  };
}

function notOfRole(
  key: string,
  roles: readonly NamedRole[],
  trust: Trust | null,
  { type, value }: Content,
): string {
  const root = trust?.root ?? (type === 'root' ? value : undefined);
  const other = Object.entries(root?.roles ?? {}).find(([, { keys }]) => keys.includes(key));
  const keys = roles.flatMap(({ role, name }) => role.keys.map((text) => `  ${text}  of ${name}`));
  return [
    other
      ? `The key ${key} is a ${other[0]} key of root ${root?.version}: it does not sign this.`
      : `The key ${key} is in no role of the root.`,
    'Sign with one of these keys, or draft a root that names yours (mesh-agent truth draft root):',
    ...keys,
  ].join('\n');
}
