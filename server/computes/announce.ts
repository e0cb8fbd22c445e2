import { Announce, type AnnounceAnswer } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { NEXT_ANNOUNCE_MS } from '@mesh-registry/protocol/values.schema.ts';
import { computes, type ComputeRow } from '#db/schema/index.ts';
import { parse } from '#server/common/errors.schema.ts';
import type { Signal } from '#server/common/rooms.ts';
import { unavailable } from '#server/common/with-retry.ts';
import {
  isFirstVersion,
  first,
  fixed,
  groupedUpsert,
  GroupWriter,
  latest,
  replace,
  replaceUnlessNull,
  type Committed,
  type RowWrite,
} from '#server/live/index.ts';
import { withoutLimit, type WriteOptions, type ServiceContext } from '#server/context.ts';
import {
  labelInstead,
  publishableLabel,
  requireUnblockedNode,
  requireUnreservedNodeId,
} from '#server/mesh/index.ts';
import { presentAnnounced, type ComputesContext } from './offer.ts';

/**
 * Stores an announcement: all of its compute offers, or none. Resolves after the commit.
 * @param options.newIds the limit of new compute offers; it is not asked if all of them are known
 * @throws AppError `invalid_body`, `reserved_node_id`, `blocked`, `signature_required`, `signature_invalid` (it was sent
 *   before), `rate_limited`, `unavailable`
 */
export async function announce(
  context: ComputesContext,
  writer: AnnounceWriter,
  body: unknown,
  { newIds = withoutLimit, signer = null }: WriteOptions = {},
  now = context.clock(),
): Promise<AnnounceAnswer> {
  const { nodeId, label: raw, computes } = parse(Announce, body, 'invalid_body');
  requireUnreservedNodeId(nodeId);
  requireUnblockedNode(context, nodeId);
  const label = publishableLabel(raw);
  const at = new Date(now);
  const writes = computes.map((compute) => {
    const id = `${nodeId}:${compute.name}`;
    const stored = raw === undefined ? undefined : context.live.computes.get(id)?.label;
    return {
      id,
      nodeId,
      label: label ?? labelInstead(stored, nodeId),
      ...compute,
      firstSeen: at,
      lastSeen: at,
    };
  });
  const unknown = writes.filter(({ id }) => !context.live.computes.get(id)).length;
  const commit = () => writer.write(writes);
  const store = context.identity.storing(nodeId, 'announcement', signer, now, commit);
  const rows = await (unknown === 0
    ? store()
    : newIds(
        unknown,
        store,
        (rows) => rows.filter(({ rev, firstSeen }) => isFirstVersion(rev, firstSeen)).length,
      ));
  const presentedAt = context.clock();
  const freshMs = context.config.computeFreshMs;
  return {
    ok: true,
    nodeId,
    count: rows.length,
    computes: rows.map((row) => presentAnnounced(context, row, presentedAt)),
    availableMs: freshMs,
    nextAnnounceMs: Math.min(NEXT_ANNOUNCE_MS, Math.floor(freshMs / 2)),
    ...visibilityNotice(body as Accepted),
  };
}

/** A body that has been parsed without an error, as it was sent. */
interface Accepted {
  computes: { visibility?: unknown }[];
}

/** What it means for offers that they don't say their visibility: who announces them may not know that they are listed. */
function visibilityNotice({ computes }: Accepted): Pick<AnnounceAnswer, 'notice'> {
  const silent = computes.filter(({ visibility }) => visibility === undefined).length;
  if (silent === 0) return {};
  const [has, they, them] = silent === 1 ? ['has', 'it is', 'it'] : ['have', 'they are', 'them'];
  return {
    notice: `${silent} of ${computes.length} compute ${computes.length === 1 ? 'offer' : 'offers'} ${has} no visibility, so ${they} private. The public directory lists ${them} all the same, marked as private. Set visibility to public or private.`,
  };
}

/** A compute offer to be stored. A null label keeps the stored one. */
type ComputeWrite = RowWrite<typeof computes>;

type AnnounceWriter = GroupWriter<ComputeWrite[], ComputeRow[]>;

/**
 * Commits announcements in groups, and applies them to the read model. A group is one statement: an announcement
 * is stored whole or not at all.
 */
export function createAnnounceWriter(
  { db, live, feed }: Pick<ServiceContext, 'db' | 'live' | 'feed'>,
  committed: Signal<Committed>,
): AnnounceWriter {
  const upsert = groupedUpsert(db, feed, computes, {
    nodeId: fixed,
    name: fixed,
    label: replaceUnlessNull,
    image: replace,
    visibility: replace,
    class: replace,
    backend: replace,
    replicas: replace,
    freeSlots: replace,
    firstSeen: first,
    lastSeen: latest,
  });
  return new GroupWriter({
    // An announcement has up to 256 compute offers: this bounds announcements, and body sizes bound the rest.
    maxGroup: 100,
    maxWaiting: 10_000,
    overflow: unavailable,
    async commit(announces) {
      const rows = await upsert(announces.flat());
      live.computes.apply(rows);
      committed.emit({ kind: 'announces', size: announces.length });
      let end = 0;
      return announces.map(({ length }) => rows.slice(end, (end += length)));
    },
  });
}
