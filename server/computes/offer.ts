import type { AnnouncedRow, Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { ComputeStatus, UnlistedReason } from '@mesh-registry/protocol/values.schema.ts';
import type { ComputeRow, RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { IdentityService } from '#server/identity/index.ts';
import type { NameIndex } from '#server/names/index.ts';

/** Offline once the last announcement is older than `freshMs`; else busy without free slots; else available. */
export function computeStatus(
  row: Pick<ComputeRow, 'lastSeen' | 'freeSlots'>,
  now: number,
  freshMs: number,
): ComputeStatus {
  if (now - row.lastSeen.getTime() > freshMs) return 'offline';
  return row.freeSlots === 0 ? 'busy' : 'available';
}

/** The last moment (ms) at which the row still has the status that it has at `now`. */
export function computeStatusUntil(
  row: Pick<ComputeRow, 'lastSeen'>,
  now: number,
  freshMs: number,
): number {
  const lastMoment = row.lastSeen.getTime() + freshMs;
  return now > lastMoment ? Infinity : lastMoment;
}

/** A compute offer as answers show it at `now` (ms). Its node's heartbeats say the node's label, if they say any. */
export function presentCompute(
  { live, config }: Pick<ServiceContext, 'live' | 'config'>,
  row: ComputeRow,
  now: number,
): Compute {
  return {
    id: row.id,
    name: row.name,
    nodeId: row.nodeId,
    label: live.peers.get(row.nodeId)?.label ?? row.label ?? row.nodeId,
    image: row.image,
    visibility: row.visibility,
    class: row.class,
    backend: row.backend,
    replicas: row.replicas,
    freeSlots: row.freeSlots,
    status: computeStatus(row, now, config.computeFreshMs),
    lastSeen: row.lastSeen.toISOString(),
    firstSeen: row.firstSeen.toISOString(),
  };
}

/** What the directory needs beyond the service context. */
export interface ComputesContext extends ServiceContext {
  readonly names: NameIndex;
  readonly identity: Pick<IdentityService, 'storing'>;
}

/** Why the directory does not list a compute offer, given the active registration of its name; null if it does. */
function unlistedReason(
  row: Pick<ComputeRow, 'nodeId'>,
  active: RegistrationRow | undefined,
): UnlistedReason | null {
  if (!active) return 'name_not_active';
  if (active.nodeId !== row.nodeId) return 'name_owned_by_another_node';
  if (!active.kinds.includes('compute')) return 'registration_lacks_compute';
  return null;
}

/** The reason under the configured COMPUTE_LISTING, which may list everything that is announced. */
const reasonOf = ({ config, names }: ComputesContext, row: ComputeRow): UnlistedReason | null =>
  config.computeListing === 'announced' ? null : unlistedReason(row, names.active(row.name));

/** Whether the public directory lists a compute offer now. */
export const isListed = (context: ComputesContext, row: ComputeRow): boolean =>
  context.live.nodes.isShown(row.nodeId) && reasonOf(context, row) === null;

/** A compute offer as its own node sees it: also whether the directory lists it, and if not, why. */
export function presentAnnounced(
  context: ComputesContext,
  row: ComputeRow,
  now: number,
): AnnouncedRow {
  const reason = reasonOf(context, row);
  return {
    ...presentCompute(context, row, now),
    listed: reason === null,
    reason,
  };
}
