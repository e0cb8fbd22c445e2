import type { RegistrationRow } from '#db/schema/index.ts';
import { computeStatus } from '#server/computes/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { peerStatus } from '#server/mesh/index.ts';
import { liveParts, shownFacts, shownPeer } from './entry.ts';
import type { KindFilter } from './search.schema.ts';

/** The free slots of a name's compute offer; null if it has none, or it is offline. */
export function freeSlotsOf(
  context: ServiceContext,
  row: RegistrationRow,
  now: number,
): number | null {
  const { compute } = liveParts(context, row);
  if (!compute || computeStatus(compute, now, context.config.computeFreshMs) === 'offline')
    return null;
  return compute.freeSlots;
}

/** What the filters compare of a name at `now` (ms). */
export function facetsOf(context: ServiceContext, row: RegistrationRow, now: number) {
  const peer = shownPeer(context, row);
  const kinds: KindFilter[] = row.kinds.length > 1 ? [...row.kinds, 'both'] : row.kinds;
  return {
    kinds,
    status: peer ? peerStatus(peer, now) : null,
    isFree: (freeSlotsOf(context, row, now) ?? 0) > 0,
    region: shownFacts(context, row).region,
  };
}
