import { signersAmong } from '@mesh-registry/protocol/keys/dsse.ts';
import type { SignedDocument } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { fingerprint, readRoot } from '@mesh-registry/protocol/truth/documents.ts';
import {
  ROOT_TYPE,
  TRUTH_TYPE,
  type Ban,
  type Role,
  type Truth,
} from '@mesh-registry/protocol/truth/truth.schema.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';

/** A role of the root: who may sign, and who has signed what is in force. */
export interface RoleSummary {
  threshold: number;
  /** `signed` is null for the keys of the log, which sign blocks. */
  keys: { key: string; signed: boolean | null }[];
}

export interface NetworkSummary {
  /** Now, ISO 8601. */
  at: string;
  network: string;
  /** Whether peers take it for expired: someone keeps newer documents back, or nobody signs. */
  stale: boolean;
  root: {
    version: number;
    issued: string;
    expires: string;
    roles: { root: RoleSummary; truth: RoleSummary; block: RoleSummary };
  };
  /** The first root that is published, for comparing it with the one that a reader trusts. */
  firstRoot: { version: number; fingerprint: string };
  truth: Omit<Truth, 'bans' | 'network'>;
  bans: {
    /** How many hold now. */
    total: number;
    /** The newest of them. */
    newest: Ban[];
  };
}

/** A page lists this many bans; the answer of GET /api/truth has all. */
const BANS_LISTED = 100;

/**
 * What a verified truth says, for the page of the network. Who has signed is found out once.
 * @param trust with a truth
 * @returns what it says at a moment, milliseconds since 1970
 */
export function summarizer(trust: Trust): (now: number) => NetworkSummary {
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
        root: roleOf(root.roles.root, last, ROOT_TYPE),
        truth: roleOf(root.roles.truth, state.truth, TRUTH_TYPE),
        block: {
          threshold: root.roles.block.threshold,
          keys: root.roles.block.keys.map((key) => ({ key, signed: null })),
        },
      },
    },
    firstRoot: { version: readRoot(first).version, fingerprint: fingerprint(first) },
    truth: rest,
  };
  return (now) => {
    const inForce = bans.filter(({ until }) => until === null || Date.parse(until) > now);
    return {
      ...documents,
      at: new Date(now).toISOString(),
      stale: trust.stale,
      bans: {
        total: inForce.length,
        newest: inForce
          .sort((one, other) => Date.parse(other.since) - Date.parse(one.since))
          .slice(0, BANS_LISTED),
      },
    };
  };
}

function roleOf({ keys, threshold }: Role, document: SignedDocument, type: string): RoleSummary {
  const signers = signersAmong(document, type, keys);
  return { threshold, keys: keys.map((key) => ({ key, signed: signers.has(key) })) };
}
