import { z } from 'zod';
import { DsseEnvelope, SignedDocument } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { NetworkName, Time } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { LIMITS } from '../base/limits.ts';
import { Capability } from '../records/peer-record.schema.ts';

/** The messages between nodes. Nothing that comes in is used before it has passed one of these. */

export const CONTROL = '/mesh-registry/ctl/1';
export const TRUTH = '/mesh-registry/truth/1';
export const BLOCKS = '/mesh-registry/blocks/1';

/** A version of root or truth, or the height of the log; 0: none yet. */
const Count = z.int().min(0);
const Nonce = z.string().regex(/^[0-9a-f]{64}$/);
const Signature = z.base64().max(88);
const Ping = z.string().max(32);

/** The name of a program. It goes to logs and terminals, so it has no control characters. */
const Program = z.string().regex(/^[\x20-\x7e]{0,64}$/);
const ByeCode = z.string().regex(/^[a-z_]{1,32}$/);

/** What a peer has. */
const HAVE = { root: Count, truth: Count, height: Count };
export const Have = z.strictObject(HAVE);
export type Have = z.infer<typeof Have>;

export const Hello = z.strictObject({
  t: z.literal('hello'),
  network: NetworkName,
  /** The oldest and the newest version of the protocol that it speaks. */
  proto: z.tuple([z.int().min(1), z.int().min(1)]),
  /** Its program, with a version. */
  agent: Program,
  caps: z.array(Capability).max(16),
  time: Time,
  nonce: Nonce,
  ...HAVE,
  /** The record that says where others reach it; null: they cannot. */
  record: DsseEnvelope.nullable(),
  /** Only the responder signs its hello: it knows the dialer's nonce already. */
  sig: Signature.optional(),
});
export type Hello = z.infer<typeof Hello>;

export const Auth = z.strictObject({ t: z.literal('auth'), sig: Signature });
export const Ok = z.strictObject({ t: z.literal('ok') });

export const REFUSALS = [
  'wrong_network',
  'version',
  'banned',
  'clock_skew',
  'busy',
  'bad_signature',
  'malformed',
] as const;
export type RefusalCode = (typeof REFUSALS)[number];
export const Refuse = z.strictObject({ t: z.literal('refuse'), code: z.enum(REFUSALS) });

/** What peers say to each other once they know each other. */
export const ControlMessage = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('ping'), n: Ping }),
  z.strictObject({ t: z.literal('pong'), n: Ping }),
  z.strictObject({ t: z.literal('have'), ...HAVE }),
  z.strictObject({ t: z.literal('getpeers') }),
  z.strictObject({
    t: z.literal('peers'),
    records: z.array(DsseEnvelope).max(LIMITS.recordsPerMessage),
  }),
  z.strictObject({ t: z.literal('bye'), code: ByeCode }),
]);
export type ControlMessage = z.infer<typeof ControlMessage>;

/** The version of the newest root that the asker has; the answer has the roots after it. */
export const TruthRequest = z.strictObject({ root: Count });
export const TruthAnswer = z.strictObject({
  roots: z.array(SignedDocument).max(LIMITS.rootsPerAnswer),
  truth: SignedDocument.nullable(),
});

/** The answer is packs of blocks, then an empty pack. */
export const BlocksRequest = z.strictObject({
  from: z.int().min(1),
  max: z.int().min(1).max(LIMITS.batchBlocks),
});
