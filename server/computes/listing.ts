import type { ComputeRow, RegistrationRow } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { UnlistedReason } from '@mesh-registry/protocol/values.schema.ts';
import type { NameIndex } from '#server/names/index.ts';
import { presentCompute } from './compute.ts';
import type { AnnouncedRow } from '@mesh-registry/protocol/rest/computes.schema.ts';

/** What the directory needs beyond the service context. */
export interface ComputesContext extends ServiceContext {
  readonly names: NameIndex;
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

/** The same under the configured COMPUTE_LISTING, which may list everything that is announced. */
const reasonOf = ({ config, names }: ComputesContext, row: ComputeRow): UnlistedReason | null =>
  config.computeListing === 'announced' ? null : unlistedReason(row, names.active(row.name));

/** Whether the public directory lists a compute offer now. */
export const isListed = (context: ComputesContext, row: ComputeRow): boolean =>
  !context.live.isBlocked(row.nodeId) && reasonOf(context, row) === null;

/** A compute offer as its own node sees it: also whether the directory lists it, and if not, why. */
export function presentAnnounced(
  context: ComputesContext,
  row: ComputeRow,
  now: number,
): AnnouncedRow {
  const reason = reasonOf(context, row);
  return {
    ...presentCompute(row, now, context.config.computeFreshMs),
    listed: reason === null,
    reason,
  };
}
