import { z } from 'zod';
import { SignedDocument } from '../keys/dsse.schema.ts';
import { NodeKey, PEER_ID_PATTERN } from '../keys/node-key.schema.ts';

/**
 * The two documents that a network's peers go by, as the payloads of DSSE envelopes: the root says whose signatures
 * count, the truth who is banned and what the public log contains. They work as in TUF,
 * https://theupdateframework.github.io/specification/latest/.
 */

export const ROOT_TYPE = 'application/vnd.mesh-registry.root+json';
export const TRUTH_TYPE = 'application/vnd.mesh-registry.truth+json';

export const BANS_MAX = 5000;

/** Counts up from 1. */
export const Version = z.int('must be a whole number').min(1, 'must be at least 1');
export const Time = z.iso.datetime('must be a time in UTC, such as 2026-01-31T12:00:00Z');
export const NetworkName = z
  .string('must be a string')
  .regex(/^[a-z0-9.-]{1,64}$/, 'must be 1 to 64 of a-z 0-9 . -');

/** The id of an Ed25519 peer: its public key as libp2p writes it. */
export const PeerId = z
  .string('must be a string')
  .regex(PEER_ID_PATTERN, 'must be a peer id, 12D3Koo…');

/** SHA-256 in hex. */
export const Digest = z
  .string('must be a string')
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 digest in hex');

const Role = z
  .strictObject({
    keys: z.array(NodeKey).min(1, 'must have a key').max(16, 'must have at most 16 keys'),
    /** How many of the keys have to sign. */
    threshold: z.int('must be a whole number').min(1, 'must be at least 1'),
  })
  .refine(({ keys }) => new Set(keys).size === keys.length, {
    path: ['keys'],
    error: 'must be different keys',
  })
  .refine(({ keys, threshold }) => threshold <= keys.length, {
    path: ['threshold'],
    error: 'must be at most the number of keys',
  });
export type Role = z.infer<typeof Role>;

const lasting = ({ issued, expires }: { issued: string; expires: string }) =>
  Date.parse(expires) > Date.parse(issued);
const LASTING = { path: ['expires'], error: 'must be after issued' };

const COMMON = { network: NetworkName, version: Version, issued: Time, expires: Time };

export const Root = z
  .strictObject({
    ...COMMON,
    roles: z.strictObject({
      /** Signs the next root. */
      root: Role,
      /** Signs the truth. */
      truth: Role,
      /** Signs the blocks of the log. */
      block: Role,
    }),
  })
  .refine(lasting, LASTING);
export type Root = z.infer<typeof Root>;

export const Ban = z.strictObject({
  peer: PeerId,
  reason: z.string('must be a string').max(200, 'must be at most 200 characters'),
  since: Time,
  /** Null: without an end. */
  until: Time.nullable(),
});
export type Ban = z.infer<typeof Ban>;

export const Truth = z
  .strictObject({
    ...COMMON,
    /** Peers that speak only older versions of the protocol are refused. */
    minProtocol: z.int('must be a whole number').min(1, 'must be at least 1'),
    bans: z.array(Ban).max(BANS_MAX, `must have at most ${BANS_MAX} bans`),
    /** A block that the log must contain; height 0 and a digest of zeros: none yet. */
    log: z.strictObject({ height: z.int('must be a whole number').min(0), id: Digest }),
  })
  .refine(lasting, LASTING);
export type Truth = z.infer<typeof Truth>;

/** The documents together, as a network publishes them: all roots from the first one on, and the newest truth. */
export const PublishedTruth = z
  .strictObject({
    roots: z.array(SignedDocument).min(1, 'must have a root').max(1000),
    truth: SignedDocument,
  })
  .meta({ id: 'PublishedTruth' });
export type PublishedTruth = z.infer<typeof PublishedTruth>;

const NodeId = z.string('must be a string').max(64, 'must be at most 64 characters');

/**
 * The nodes that a registry's reviewers have blocked, as bans for the next truth: a proposal, which the holders of the
 * truth's keys look through, complete and sign. The dashboard exports it, `mesh-agent truth draft` takes it.
 */
export const ProposedBans = z.object({
  /** Address of the service. */
  service: z.string('must be a string'),
  exportedAt: Time,
  /** `reason` is empty: what reviewers write is not public. `peer` is the id of the key that the node is pinned to. */
  bans: z.array(Ban.extend({ nodeId: NodeId }), 'must be a list'),
  /** Blocked nodes without a peer id. */
  notBannable: z.array(
    z.object({ nodeId: NodeId, since: Time, why: z.string() }),
    'must be a list',
  ),
});
export type ProposedBans = z.infer<typeof ProposedBans>;
