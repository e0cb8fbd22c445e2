import { parse } from '#server/common/errors.schema.ts';
import { withoutLimit, type WriteOptions } from '#server/common/write-options.ts';
import { storeSigned } from '#server/identity/index.ts';
import { isFirstVersion } from '#server/live/index.ts';
import { NEXT_ANNOUNCE_MS } from '@mesh-registry/protocol/values.schema.ts';
import {
  publishableLabel,
  requireUnblockedNode,
  requireUnreservedNodeId,
} from '#server/mesh/index.ts';
import type { AnnounceWriter } from './announce-writer.ts';
import { Announce, type AnnounceAnswer } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { presentAnnounced, type ComputesContext } from './listing.ts';

/**
 * Stores an announcement: all of its compute offers, or none. Resolves after the commit.
 * @param options.newIds the limit of new compute offers; it is not asked if all of them are known
 * @throws AppError `invalid_body`, `reserved_node_id`, `blocked`, `signature_required`, `rate_limited`, `unavailable`
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
  const writes = computes.map((compute) => ({
    id: `${nodeId}:${compute.name}`,
    nodeId,
    label,
    ...compute,
    firstSeen: at,
    lastSeen: at,
  }));
  const unknown = writes.filter(({ id }) => !context.live.computes.get(id)).length;
  const store = () => storeSigned(context, nodeId, signer, () => writer.write(writes));
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
  };
}
