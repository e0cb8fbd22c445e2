import { sql } from 'drizzle-orm';
import { NODE_CLASSES, recordFrom, type NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { historyDayCounts, type PeerRow } from '#db/schema/index.ts';
import { shownClass, shownRegion } from '#server/mesh/index.ts';

/** Regions that are counted at the end of a quarter, the most frequent ones: nodes choose their codes freely. */
const REGIONS_MAX = 40;

const QUARTERS = 'quarters';
const CLASS = 'class:';
const REGION = 'region:';

/** The numbers of a day by their names in the database, added up over its quarters. */
export type DayCounts = ReadonlyMap<string, number>;

/** Nodes by class and region at the end of a quarter. */
export class NodeCounts {
  readonly #classes = recordFrom(NODE_CLASSES, () => 0);
  readonly #regions = new Map<string, number>();

  /** @param grid the coordinate grid, degrees */
  constructor(private readonly grid: number) {}

  add(row: PeerRow): void {
    this.#classes[shownClass(row)]++;
    const region = shownRegion(row, this.grid);
    this.#regions.set(region, (this.#regions.get(region) ?? 0) + 1);
  }

  /** With the numbers of offers and names, as they are stored. */
  toRows(others: { offers: number; names: number }): Map<string, number> {
    const regions = [...this.#regions]
      .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .slice(0, REGIONS_MAX);
    return new Map([
      [QUARTERS, 1],
      ...Object.entries(others),
      ...NODE_CLASSES.map((size) => [CLASS + size, this.#classes[size]] as const),
      ...regions.map(([region, nodes]) => [REGION + region, nodes] as const),
    ]);
  }
}

/** Adds the numbers of a quarter to those of its day. */
export async function addDayCounts(
  tx: Db,
  day: string,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  await tx
    .insert(historyDayCounts)
    .values([...counts].map(([name, sum]) => ({ day, name, sum })))
    .onConflictDoUpdate({
      target: [historyDayCounts.day, historyDayCounts.name],
      set: { sum: sql`${historyDayCounts.sum} + excluded.sum` },
    });
}

/** What a day was like on average. Null where that was not counted. */
export interface DayMeans {
  /** Compute offers that were announced, and active names. */
  offers: number | null;
  names: number | null;
  /** Nodes by class, and by region: the most frequent regions only. */
  class: Record<NodeClass, number> | null;
  regions: Record<string, number> | null;
}

export function dayMeans(counts: DayCounts | undefined): DayMeans {
  const quarters = counts?.get(QUARTERS) ?? 0;
  if (!counts || quarters === 0) return { offers: null, names: null, class: null, regions: null };
  const mean = (name: string) => Math.round((counts.get(name) ?? 0) / quarters);
  const regions = [...counts.keys()].filter((name) => name.startsWith(REGION));
  return {
    offers: mean('offers'),
    names: mean('names'),
    class: recordFrom(NODE_CLASSES, (size) => mean(CLASS + size)),
    regions: Object.fromEntries(regions.map((name) => [name.slice(REGION.length), mean(name)])),
  };
}
