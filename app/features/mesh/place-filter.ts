import type { Facets, PeerFilter } from '#server/mesh/mesh-query.schema.ts';
import type { MeshStats } from '#server/mesh/mesh.schema.ts';
import { CELLS, type Place } from '#server/mesh/places.schema.ts';

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
      (size === null || cell.class === size),
  ),
  region,
});

export type PlaceTotals = Pick<
  MeshStats,
  'peers' | 'online' | 'syncing' | 'idle' | 'offline' | 'byRegion'
>;

/** How many nodes there are, by status and region. */
export function countNodes(places: Iterable<Place>): PlaceTotals {
  const byRegion = Object.create(null) as Record<string, number>;
  const totals: PlaceTotals = { peers: 0, online: 0, syncing: 0, idle: 0, offline: 0, byRegion };
  for (const { region, counts } of places)
    counts.forEach((count, cell) => {
      const status = CELLS[cell]?.status;
      if (count === 0 || !status) return;
      totals.peers += count;
      totals[status] += count;
      byRegion[region] = (byRegion[region] ?? 0) + count;
    });
  return totals;
}

/** How many nodes match, and the counts beside the filters: as surveyPeers() has them, by place. */
export function surveyPlaces(
  places: Iterable<Place>,
  filter: Pick<PeerFilter, 'status' | 'class' | 'region'>,
): { matches: number; facets: Facets } {
  const { status, class: size } = filter;
  const facets: Facets = {
    status: { online: 0, syncing: 0, idle: 0, offline: 0 },
    class: { S: 0, M: 0, L: 0 },
    // No prototype: a region may have any name that matches its pattern.
    region: Object.create(null) as Record<string, number>,
  };
  let matches = 0;
  for (const { region, counts } of places) {
    const inRegion = filter.region === null || region === filter.region;
    counts.forEach((count, at) => {
      const cell = CELLS[at];
      if (count === 0 || !cell) return;
      const ofStatus = status.length === 0 || status.includes(cell.status);
      const ofClass = size === null || cell.class === size;
      if (ofStatus && ofClass) facets.region[region] = (facets.region[region] ?? 0) + count;
      if (!inRegion) return;
      if (ofStatus && ofClass) matches += count;
      if (ofClass) facets.status[cell.status] += count;
      if (ofStatus) facets.class[cell.class] += count;
    });
  }
  return { matches, facets };
}
