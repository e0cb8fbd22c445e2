import { signersAmong } from '@mesh-registry/protocol/keys/dsse.ts';
import type { SignedDocument } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { fingerprint, readRoot } from '@mesh-registry/protocol/truth/documents.ts';
import { ROOT_TYPE, TRUTH_TYPE, type Role } from '@mesh-registry/protocol/truth/truth.schema.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';

export type NetworkSummary = ReturnType<ReturnType<typeof summarizer>>;
export type RoleSummary = ReturnType<typeof roleOf>;

/** A page lists this many bans; the answer of GET /api/truth has all. */
const BANS_LISTED = 100;

/**
 * What a verified truth says, for the page of the network. Who has signed is found out once.
 * @param trust with a truth
 * @returns what it says at a moment, milliseconds since 1970
 */
export function summarizer(trust: Trust) {
  const { root, truth, state } = trust;
  const [first, last] = [state.roots[0], state.roots.at(-1)];
  if (!truth || !state.truth || !first || !last) throw new TypeError('There is no truth.');
  const { bans, network, ...rest } = truth;
  const documents = {
    network,
    root: {
      version: root.version,
      issued: root.issued,
      expires: root.expires,
      roles: {
        root: roleOf(root.roles.root, { document: last, type: ROOT_TYPE }),
        truth: roleOf(root.roles.truth, { document: state.truth, type: TRUTH_TYPE }),
        block: roleOf(root.roles.block, null),
      },
    },
    /** The first root that is published, for comparing it with the one that a reader trusts. */
    firstRoot: { version: readRoot(first).version, fingerprint: fingerprint(first) },
    truth: rest,
  };
  return (now: number) => {
    const inForce = bans.filter(({ until }) => until === null || Date.parse(until) > now);
    return {
      ...documents,
      /** Now, ISO 8601. */
      at: new Date(now).toISOString(),
      /** Whether peers take it for expired: someone keeps newer documents back, or nobody signs. */
      stale: trust.stale,
      bans: {
        /** How many hold now. */
        total: inForce.length,
        /** The newest of them. */
        newest: inForce
          .sort((one, other) => Date.parse(other.since) - Date.parse(one.since))
          .slice(0, BANS_LISTED),
      },
    };
  };
}

/**
 * A role of the root: who may sign, and who has signed what is in force.
 * @param signed the document and its type; null for the keys of the log, which sign blocks
 */
function roleOf(
  { keys, threshold }: Role,
  signed: { document: SignedDocument; type: string } | null,
) {
  const signers = signed && signersAmong(signed.document, signed.type, keys);
  return { threshold, keys: keys.map((key) => ({ key, signed: signers?.has(key) ?? null })) };
}
