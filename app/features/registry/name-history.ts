import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { NodeOutages } from '#server/uptime/index.ts';
import { spanText } from '#app/features/uptime/uptime-text.ts';

/** Something that happened to a name. */
export interface NameEvent {
  /** ISO 8601 */
  at: string;
  text: string;
}

interface HistorySource {
  entry: Pick<RegistryEntry, 'activatedAt'>;
  compute: Pick<Compute, 'firstSeen' | 'image'> | null;
  /** Those since it has been active; null while they aren't known. */
  outages: Pick<NodeOutages, 'latest'> | null;
}

/** What happened to a name since it became active, the newest first. What was before is nobody's business. */
export function historyOf({ entry, compute, outages }: HistorySource): NameEvent[] {
  const { activatedAt } = entry;
  const events: NameEvent[] = [{ at: activatedAt, text: 'Active' }];
  if (compute && compute.firstSeen > activatedAt)
    events.push({
      at: compute.firstSeen,
      text: compute.image ? `Offer announced: ${compute.image}` : 'Offer announced',
    });
  for (const { from, to } of outages?.latest ?? [])
    events.push(
      to === null
        ? { at: from, text: 'Node offline' }
        : {
            at: to,
            text: `Node back online after ${spanText((Date.parse(to) - Date.parse(from)) / 1000)}`,
          },
    );
  // An outage that lasts may have begun before.
  return events
    .filter(({ at }) => at >= activatedAt)
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}
