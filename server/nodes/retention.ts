import { Slices } from '#server/common/slices.ts';
import { inTransaction } from '#server/common/with-retry.ts';
import { lockNodes } from '#server/identity/index.ts';
import {
  forgetUnpinned,
  removeNodes,
  TOGETHER,
  unpinNodes,
  type RemovalContext,
} from './remove-nodes.ts';

const DAY_MS = 86_400_000;
/** After the service was away, every node that runs is heard of within this time, milliseconds. */
const RETURN_MS = 10 * 60_000;

/** Whether this server has been up for so long that it has heard of every node that runs. */
export const hasBeenUp = ({ upSince }: Pick<RemovalContext, 'upSince'>, now: number): boolean =>
  now - upSince() >= RETURN_MS;

/**
 * Removes the nodes that were not heard of for NODE_RETENTION_DAYS, unless they have an active name. Not soon after the
 * service itself was away: the nodes that it missed must get the chance to be heard again.
 * @returns how many
 * @throws AppError `unavailable`
 */
export async function removeSilentNodes(context: RemovalContext): Promise<number> {
  const { config, clock, log } = context;
  const now = clock();
  if (config.nodeRetentionDays === 0 || !hasBeenUp(context, now)) return 0;
  const silentSince = now - config.nodeRetentionDays * DAY_MS;
  const silent = await silentNodes(context, silentSince);
  const removed = await removeNodes(context, silent, { silentSince });
  await unpinForgotten(context, silentSince);
  if (removed > 0)
    log.info(
      { nodes: removed, days: config.nodeRetentionDays },
      'removed nodes that were not heard of for NODE_RETENTION_DAYS',
    );
  return removed;
}

/** The nodes without an active name that were not heard of since a moment (ms). */
async function silentNodes({ live, names }: RemovalContext, since: number): Promise<string[]> {
  const slices = new Slices();
  const ids = new Set<string>();
  await slices.each(live.peers.rows(), ({ id, lastSeen }) => {
    if (lastSeen.getTime() < since) ids.add(id);
  });
  // Some nodes announce without ever sending a heartbeat.
  await slices.each(live.computes.rows(), ({ nodeId, lastSeen }) => {
    if (lastSeen.getTime() < since) ids.add(nodeId);
  });
  const silent: string[] = [];
  await slices.each(ids, (id) => {
    if (names.ofNode(id).size === 0 && live.nodes.lastHeard(id) < since) silent.push(id);
  });
  return silent;
}

/** Ends the pins of ids without a node: of one that never sent anything, and whose names have ended. */
async function unpinForgotten(context: RemovalContext, since: number): Promise<void> {
  const { db, live, names } = context;
  const forgotten: string[] = [];
  await new Slices().each(live.nodeKeys.rows(), ({ id, pinnedAt }) => {
    const isInUse = live.nodes.lastHeard(id) > -Infinity || names.ofNode(id).size > 0;
    // Of a blocked one, reviewers propose its key for the network's bans.
    if (pinnedAt.getTime() < since && !isInUse && !live.nodes.isBlocked(id)) forgotten.push(id);
  });
  for (let at = 0; at < forgotten.length; at += TOGETHER) {
    const ids = forgotten.slice(at, at + TOGETHER);
    const ended = await inTransaction(db, async (tx) => {
      await lockNodes(tx, ids);
      return unpinNodes(tx, context, ids);
    });
    forgetUnpinned(context, ended);
  }
}
