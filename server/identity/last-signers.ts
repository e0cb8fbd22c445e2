import { hash } from 'node:crypto';
import { and, eq, inArray, lt, not, sql } from 'drizzle-orm';
import { OFFLINE_AFTER_MS, OUTAGE_AFTER_MS } from '@mesh-registry/protocol/values.schema.ts';
import { SIGNATURE_MAX_SKEW_S } from '@mesh-registry/protocol/keys/node-key.schema.ts';
import { nodeSigners, type NodeSignerRow } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import type { Repeated } from '#server/common/rooms.ts';
import { Slices } from '#server/common/slices.ts';
import { inTransaction, unavailable } from '#server/common/with-retry.ts';
import type { RequestSigner, ServiceContext } from '#server/context.ts';
import {
  conditionalUpsert,
  GroupWriter,
  latest,
  replace,
  type Merge,
  type Merges,
  type RowWrite,
} from '#server/live/index.ts';
import type { Freshness } from './freshness.ts';

/** Who signs what a node sends. */
export interface LastSigner {
  /** The public key as text; null: the last heartbeat was not signed. */
  key: string | null;
  /** Since when (ms) every heartbeat was signed by this key, or none was signed. */
  since: number;
  /** When (ms) the last one came. */
  at: number;
  /** The key that signed those before; null: nobody signed them. Absent: there were none. */
  before?: string | null;
}

/**
 * Who has signed the last heartbeat of a node, or its last announcement if it sends no heartbeats. From memory.
 * @returns null if nothing was ever heard of the node
 */
export function lastSignerOf(
  { live }: Pick<ServiceContext, 'live'>,
  nodeId: string,
): LastSigner | null {
  const announcer = announcerOf(live, nodeId);
  const peer = live.peers.get(nodeId);
  if (!peer) return announcer;
  const sent = { first: peer.joinedAt.getTime(), last: peer.lastSeen.getTime() };
  const signer = signerOf(live.nodeSigners.get(rowId(nodeId, 'heartbeat')), sent);
  if (signer.key === null || signer.before !== undefined || !announcer) return signer;
  // One heartbeat makes no key the first of a node that has long announced.
  if (firstAnnounced(live, nodeId) >= signer.since) return signer;
  if (announcer.key !== signer.key) return { ...signer, before: announcer.key };
  return announcer.before === undefined ? signer : { ...signer, before: announcer.before };
}

/** Who has signed the last announcement of a node that sends heartbeats too; null if none came lately. From memory. */
export function otherSignerOf(
  { live }: Pick<ServiceContext, 'live'>,
  nodeId: string,
): LastSigner | null {
  const peer = live.peers.get(nodeId);
  const announcer = peer ? announcerOf(live, nodeId) : null;
  return peer && announcer && peer.lastSeen.getTime() - announcer.at <= OUTAGE_AFTER_MS
    ? announcer
    : null;
}

/** Who has signed the last announcement of a node; null if there was none. */
function announcerOf(live: ServiceContext['live'], nodeId: string): LastSigner | null {
  let last = -Infinity;
  for (const offer of live.nodes.offersOf(nodeId))
    last = Math.max(last, live.computes.get(offer)?.lastSeen.getTime() ?? -Infinity);
  if (last === -Infinity) return null;
  const row = live.nodeSigners.get(rowId(nodeId, 'announcement'));
  return signerOf(row, { first: firstAnnounced(live, nodeId), last });
}

/** @param sent when (ms) the first and the last request of this kind came, signed or not */
function signerOf(
  row: NodeSignerRow | undefined,
  { first, last }: { first: number; last: number },
): LastSigner {
  if (!row) return { key: null, since: first, at: last };
  const signedAt = row.signedAt.getTime();
  if (hasEnded(row))
    return { key: null, since: row.unsignedAt.getTime(), at: last, before: row.key };
  // It came to a server of a release that ends no runs.
  if (signedAt < last) return { key: null, since: signedAt, at: last, before: row.key };
  const since = row.since.getTime();
  const run = { key: row.key, since, at: signedAt };
  if (since <= first) return run;
  return { ...run, before: row.unsignedAt === null ? row.formerKey : null };
}

/** When (ms) the oldest compute offer of a node was announced. */
function firstAnnounced({ nodes, computes }: ServiceContext['live'], nodeId: string): number {
  let first = Infinity;
  for (const offer of nodes.offersOf(nodeId))
    first = Math.min(first, computes.get(offer)?.firstSeen.getTime() ?? Infinity);
  return first;
}

/** Whether something unsigned has ended the run of a row's key. */
const hasEnded = (row: NodeSignerRow): row is NodeSignerRow & { unsignedAt: Date } =>
  row.unsignedAt !== null && row.unsignedAt >= row.signedAt;

/**
 * Whether a key is the live node's: it has signed all that was heard of the node, or all of a minute up to the last, which
 * came within five. Anyone with the network's secret can put a heartbeat between those of a node without a pin, so one
 * alone proves nothing; but a node that runs is heard of every 20 seconds. One that doesn't run can't speak against whoever
 * signs for it: {@link LastSigner.before} says who did. Nor is it the key of a node whose announcements come otherwise.
 */
export function signsForNode(
  context: Pick<ServiceContext, 'live'>,
  { nodeId, key }: { nodeId: string; key: string },
  now: number,
): boolean {
  const last = lastSignerOf(context, nodeId);
  if (last?.key !== key || now - last.at > OUTAGE_AFTER_MS) return false;
  const other = otherSignerOf(context, nodeId);
  if (other && other.key !== key) return false;
  return last.before === undefined || last.at - last.since >= OFFLINE_AFTER_MS;
}

/** What a node sends in an order of its own: the agent sends both at the same time. */
export type SignedKind = 'heartbeat' | 'announcement';

const rowId = (nodeId: string, kind: SignedKind) =>
  kind === 'heartbeat' ? nodeId : `${nodeId}${ANNOUNCEMENTS}`;
/** No node's id has a colon. */
const ANNOUNCEMENTS = ':computes';

/** Signed requests of a node in one second, of each kind. */
const MAX_IN_SECOND = 32;
/** Requests of a node that may wait for each other, of each kind. */
const MAX_WAITING = 32;
/** Characters of a fingerprint: 96 bits of a digest. */
const FINGERPRINT = 16;

/** How long after its last signature a row is kept, milliseconds: nothing that it refuses is recent enough by then. */
const KEEP_MS = 3 * SIGNATURE_MAX_SKEW_S * 1000;
const FORGET_MS = 600_000;
/** Rows that are deleted by one statement. */
const TOGETHER = 1000;

type Write = RowWrite<typeof nodeSigners>;

/**
 * Remembers who has signed the last heartbeat and the last announcement of each node, in the database, and lets no signature
 * count twice: not at another server, nor after a restart. The moments at which a key signs have to go on; how far its
 * clock is off doesn't matter. So a node takes one row, however often it signs, and no memory fills.
 */
export class LastSigners {
  readonly #writer: GroupWriter<Write, NodeSignerRow | undefined>;
  /** The last request of each row that is being written, and how many there are. */
  readonly #queues = new Map<string, { last: Promise<unknown>; size: number }>();
  /** Forgets nodes that were removed. */
  readonly repeats: readonly Repeated[] = [
    { ms: FORGET_MS, failure: 'could not delete old signers', work: () => this.forget() },
  ];

  constructor(
    private readonly context: Pick<ServiceContext, 'db' | 'live' | 'feed' | 'clock' | 'serverId'>,
    private readonly freshness: Freshness,
  ) {
    const { db, live, feed } = context;
    const upsert = conditionalUpsert(db, feed, nodeSigners, MERGES, {
      onlyIf: IS_NEW,
      firstWrite: 'signedAt',
    });
    this.#writer = new GroupWriter({
      maxGroup: 1000,
      maxWaiting: 50_000,
      overflow: unavailable,
      async commit(writes) {
        const rows = await upsert(writes);
        live.nodeSigners.apply(rows.filter((row) => row !== undefined));
        return rows;
      },
    });
  }

  /**
   * Counts a signature as used, and remembers its key as the node's last signer.
   * @param now when the request came, milliseconds
   * @throws AppError `signature_invalid` (it was used before, or the key has signed later than it since), `rate_limited`,
   *   `unavailable`
   */
  async spend(nodeId: string, kind: SignedKind, signer: RequestSigner, now: number): Promise<void> {
    const id = rowId(nodeId, kind);
    const nonce = fingerprintOf(signer.nonce);
    // Spares the database what it would refuse.
    this.#requireNew(id, signer, nonce);
    const at = new Date(now);
    const { key, created } = signer;
    const stored = await this.#inTurn(id, () =>
      this.#writer.write({
        id,
        key,
        since: at,
        signedAt: at,
        unsignedAt: null,
        created,
        nonces: nonce,
        formerKey: null,
        formerCreated: null,
      }),
    );
    if (!stored) {
      this.#requireNew(id, signer, nonce);
      // Another server has accepted it within the last second.
      throw this.#replayed();
    }
  }

  /** Whether a key has signed the last request of this kind, so that one which nobody has signed has to {@link endRun}. */
  hasRun(nodeId: string, kind: SignedKind): boolean {
    const row = this.context.live.nodeSigners.get(rowId(nodeId, kind));
    return row !== undefined && !hasEnded(row);
  }

  /**
   * Remembers that a request came unsigned: whoever signs the next one begins a new run, at whatever server.
   * @param now when it came, milliseconds
   * @throws AppError `unavailable`
   */
  async endRun(nodeId: string, kind: SignedKind, now: number): Promise<void> {
    const { db, live, serverId } = this.context;
    const ended = await inTransaction(db, async (tx) => {
      const rows = await tx
        .update(nodeSigners)
        .set({
          unsignedAt: sql`greatest(${nodeSigners.signedAt}, to_timestamp(${now / 1000}))`,
          rev: sql`${nodeSigners.rev} + 1`,
          writtenAt: sql`now()`,
          writtenBy: serverId,
        })
        .where(and(eq(nodeSigners.id, rowId(nodeId, kind)), not(HAS_ENDED)))
        .returning();
      await live.record(tx, 'node_signers', rows);
      return rows;
    });
    live.nodeSigners.apply(ended);
  }

  /** Refuses what {@link spend} would refuse now, and counts nothing as used. @throws AppError as `spend` */
  requireUnspent(nodeId: string, kind: SignedKind, { nonce, ...signer }: RequestSigner): void {
    this.#requireNew(rowId(nodeId, kind), signer, fingerprintOf(nonce));
  }

  /** Deletes the rows of nodes that were removed. @throws AppError `unavailable` */
  async forget(): Promise<void> {
    const { db, live, clock } = this.context;
    const before = new Date(clock() - KEEP_MS);
    const old: string[] = [];
    await new Slices().each(live.nodeSigners.rows(), ({ id, signedAt }) => {
      const isGone = () => live.nodes.lastHeard(id.replace(ANNOUNCEMENTS, '')) === -Infinity;
      if (signedAt < before && isGone()) old.push(id);
    });
    for (let from = 0; from < old.length; from += TOGETHER) {
      const ids = old.slice(from, from + TOGETHER);
      const deleted = await inTransaction(db, async (tx) => {
        const rows = await tx
          .delete(nodeSigners)
          .where(and(inArray(nodeSigners.id, ids), lt(nodeSigners.signedAt, before)))
          .returning({ id: nodeSigners.id, rev: nodeSigners.rev });
        await live.recordDeleted(tx, 'node_signers', rows);
        return rows;
      });
      live.nodeSigners.delete(deleted);
    }
  }

  /** Resolves once everything that waits is stored. */
  stop = () => this.#writer.drain();

  /** The same as {@link IS_NEW}, by what this server knows. */
  #requireNew(
    id: string,
    { key, created }: Pick<RequestSigner, 'key' | 'created'>,
    nonce: string,
  ): void {
    const row = this.context.live.nodeSigners.get(id);
    if (!row) return;
    if (row.key !== key) {
      if (row.formerKey === key && created <= (row.formerCreated ?? 0)) throw this.#replayed();
      return;
    }
    if (created < row.created || (created === row.created && row.nonces.includes(nonce)))
      throw this.#replayed();
    if (created === row.created && row.nonces.length >= NONCES_MAX)
      throw new AppError(
        'rate_limited',
        `At most ${MAX_IN_SECOND} signed requests of a node are accepted in a second. Send them further apart.`,
        { retryAfter: 1 },
      );
  }

  #replayed(): AppError {
    return this.freshness.refusal(
      'replayed',
      'This signature was used before, or the key has signed a later request since. Sign each request anew, in the order in which you send them. If you have set your clock back, wait as long as you have set it back by.',
    );
  }

  /** Runs writes of the same row one after the other. @throws AppError `rate_limited` (too many wait) */
  async #inTurn<T>(id: string, write: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(id) ?? { last: Promise.resolve(), size: 0 };
    if (queue.size >= MAX_WAITING)
      throw new AppError(
        'rate_limited',
        'Too many signed requests of this node at once. Send them one after the other.',
        { retryAfter: 1 },
      );
    queue.size++;
    this.#queues.set(id, queue);
    const written = queue.size === 1 ? write() : queue.last.then(write, write);
    queue.last = written;
    try {
      return await written;
    } finally {
      if (--queue.size === 0) this.#queues.delete(id);
    }
  }
}

const fingerprintOf = (nonce: string): string =>
  hash('sha256', nonce, 'base64url').slice(0, FINGERPRINT);

/** From this length of `nonces` on, its second is full. */
const NONCES_MAX = MAX_IN_SECOND * (FINGERPRINT + 1) - 1;

const stored = nodeSigners;
const isSameKey = sql`${stored.key} = excluded.key`;
const isSameSecond = sql`${isSameKey} and ${stored.created} = excluded.created`;

/** The same as {@link hasEnded}. */
const HAS_ENDED = sql`coalesce(${stored.unsignedAt} >= ${stored.signedAt}, false)`;

/** Whether a signature was not used before: its second is later than the key's last one, or the same with another nonce. */
const IS_NEW = sql`case
  when ${isSameSecond} then strpos(${stored.nonces}, excluded.nonces) = 0 and length(${stored.nonces}) < ${sql.raw(String(NONCES_MAX))}
  when ${isSameKey} then ${stored.created} < excluded.created
  when ${stored.formerKey} = excluded.key then ${stored.formerCreated} < excluded.created
  else true end`;

/** Each row is written once in a group. */
const only = (stored: NonNullable<Merge['stored']>): Merge => ({
  merged: (value) => value,
  stored,
});

const MERGES: Merges<typeof nodeSigners> = {
  key: replace,
  since: only(
    (excluded, column) =>
      sql`case when ${isSameKey} and not ${HAS_ENDED} then ${column} else ${excluded} end`,
  ),
  signedAt: latest,
  unsignedAt: only((_, column) => sql`case when ${isSameKey} or ${HAS_ENDED} then ${column} end`),
  created: replace,
  nonces: only(
    (excluded, column) =>
      sql`case when ${isSameSecond} then ${column} || ' ' || ${excluded} else ${excluded} end`,
  ),
  formerKey: only((_, column) => sql`case when ${isSameKey} then ${column} else ${stored.key} end`),
  formerCreated: only(
    (_, column) => sql`case when ${isSameKey} then ${column} else ${stored.created} end`,
  ),
};
