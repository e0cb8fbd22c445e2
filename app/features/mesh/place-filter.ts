import { byCount } from '#app/lib/formatters.ts';
import type { Facets, PeerFilter } from '#server/mesh/mesh-query.schema.ts';
import type { MeshStats } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { CELLS, type Place } from '#server/mesh/places.schema.ts';
import {
  NODE_CLASSES,
  PEER_STATUSES,
  recordFrom,
  type NodeClass,
  type PeerStatus,
} from '@mesh-registry/protocol/values.schema.ts';

/** The parts of a filter that a place can tell: which of its cells count, and in which region. */
export interface PlaceFilter {
  /** By cell, in the order of CELLS. */
  cells: readonly boolean[];
  /** Null: all. */
  region: string | null;
}

export const createPlaceFilter = ({
  status,
  class: size,
  region,
}: Pick<PeerFilter, 'status' | 'class' | 'region'>): PlaceFilter => ({
  cells: CELLS.map(
    (cell) =>
      (status.length === 0 || status.includes(cell.status)) &&
      (size.length === 0 || size.includes(cell.class)),
  ),
  region,
});

export type PlaceTotals = Pick<MeshStats, 'peers' | PeerStatus>;

interface PlaceSurvey {
  matches: number;
  facets: Facets;
}

/** How many nodes there are, by status. @param survey of all places, without a filter */
export const totalsOf = ({ matches, facets }: PlaceSurvey): PlaceTotals => ({
  peers: matches,
  ...facets.status,
});

// No prototype: a region may have any name that matches its pattern.
const noRegion = () => Object.create(null) as Record<string, number>;

/**
 * How many nodes match, and the counts beside the filters: as surveyPeers() has them, by place. It runs with every
 * change of the network, so it does as little as possible for each place.
 */
export function surveyPlaces(
  places: Iterable<Place>,
  filter: Pick<PeerFilter, 'status' | 'class' | 'region'>,
): PlaceSurvey {
  const { cells } = createPlaceFilter(filter);
  const byRegion = new Map<string, number>();
  const byCell = Array<number>(CELLS.length).fill(0);
  for (const { region, counts } of places) {
    const inRegion = filter.region === null || region === filter.region;
    let matching = 0;
    for (let cell = 0; cell < counts.length; cell++) {
      const count = counts[cell] as number;
      if (count === 0) continue;
      if (cells[cell]) matching += count;
      if (inRegion) byCell[cell] = (byCell[cell] as number) + count;
    }
    if (matching > 0) byRegion.set(region, (byRegion.get(region) ?? 0) + matching);
  }
  const facets: Facets = {
    status: recordFrom(PEER_STATUSES, () => 0),
    class: recordFrom(NODE_CLASSES, () => 0),
    region: Object.assign(noRegion(), Object.fromEntries(byRegion)),
  };
  let matches = 0;
  CELLS.forEach(({ status, class: size }, cell) => {
    const count = byCell[cell] ?? 0;
    if (cells[cell]) matches += count;
    if (filter.class.length === 0 || filter.class.includes(size)) facets.status[status] += count;
    if (filter.status.length === 0 || filter.status.includes(status)) facets.class[size] += count;
  });
  return { matches, facets };
}

/** The regions with most nodes first; the chosen one even if no node is left in it. */
export function regionChoices({ region }: Facets, chosen: string | null): [string, number][] {
  const regions = byCount(region);
  if (chosen !== null && !(chosen in region)) regions.push([chosen, 0]);
  return regions;
}

/** Adds the status to those that are shown, or removes it; always in the same order. */
export const toggledStatus = (chosen: readonly PeerStatus[], status: PeerStatus): PeerStatus[] =>
  PEER_STATUSES.filter((other) => chosen.includes(other) !== (other === status));

/** The same for classes. */
export const toggledClass = (chosen: readonly NodeClass[], size: NodeClass): NodeClass[] =>
  NODE_CLASSES.filter((other) => chosen.includes(other) !== (other === size));
