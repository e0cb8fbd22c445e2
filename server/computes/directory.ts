import type { BlockedRow, ComputeRow } from '#db/schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { VISIBILITIES } from './values.schema.ts';
import { AnswerCache, PagedJson, type Answer } from '#server/live/index.ts';
import { computeStatusUntil, presentCompute } from './compute.ts';
import type {
  AnnouncedRow,
  Compute,
  ComputesHead,
  ComputesQuery,
  ComputeStats,
} from './computes.schema.ts';
import { isListed, presentAnnounced } from './listing.ts';

const emptyStats = (): ComputeStats => ({
  total: 0,
  available: 0,
  busy: 0,
  offline: 0,
  replicas: 0,
  freeSlots: 0,
});

function addTo(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key);
  if (ids) ids.add(id);
  else index.set(key, new Set([id]));
}

/** The whole directory, unfiltered. */
const ALL: ComputesQuery = { visibility: 'all', available: false };

interface FilteredList {
  rows: PagedJson<ComputeRow, ComputeStats>;
  answer: AnswerCache;
}

/**
 * The directory as GET /api/registry/computes, the event stream and the page show it: one list per
 * combination of filters.
 */
export class ComputeDirectory {
  readonly #lists = new Map<string, FilteredList>();
  /** Ids by name: when a name becomes active, the directory lists its compute offers. */
  readonly #byName = new Map<string, Set<string>>();
  readonly #byNode = new Map<string, Set<string>>();
  readonly #wasListed = new Set<string>();
  /** Rows as last presented, and until when (ms) that is right. A changed row is another object. */
  readonly #presented = new WeakMap<ComputeRow, { compute: Compute; until: number }>();

  constructor(private readonly context: ServiceContext) {
    for (const visibility of [...VISIBILITIES, 'all'] as const)
      for (const available of [false, true])
        this.#lists.set(`${visibility} ${available}`, this.#createList({ visibility, available }));

    const { live, names } = context;
    live.computes.follow({
      changed: (row) => {
        addTo(this.#byName, row.name, row.id);
        addTo(this.#byNode, row.nodeId, row.id);
        for (const { rows } of this.#lists.values()) rows.set(row);
        if (isListed(context, row)) this.#wasListed.add(row.id);
      },
      removed: (row) => {
        this.#byName.get(row.name)?.delete(row.id);
        this.#byNode.get(row.nodeId)?.delete(row.id);
        for (const { rows } of this.#lists.values()) rows.delete(row.id);
      },
    });
    names.onChange((name) => this.#touch(this.#byName.get(name)));
    const touch = ({ id }: BlockedRow) => this.#touch(this.#byNode.get(id));
    live.blocked.follow({ changed: touch, removed: touch });
  }

  /** Something that decides whether these are listed has changed. */
  #touch(ids: ReadonlySet<string> | undefined): void {
    const { live } = this.context;
    for (const id of ids ?? []) {
      for (const { rows } of this.#lists.values()) rows.touch(id);
      live.computes.touch(id);
      const row = live.computes.get(id);
      if (row && isListed(this.context, row)) this.#wasListed.add(id);
    }
  }

  answer(query: ComputesQuery): Answer {
    return this.#list(query).answer.get();
  }

  /** The whole directory in the order of the REST answer, as objects: for pages, which filter it themselves. */
  list(): { head: ComputesHead; computes: Compute[] } {
    const now = this.context.clock();
    const rows = this.#list(ALL).rows.slice(0, Infinity);
    return {
      head: this.head(now),
      computes: rows
        .filter((row) => isListed(this.context, row))
        .map((row) => this.#present(row, now)),
    };
  }

  /** Totals of the whole directory, as of `now` (ms). */
  head(now: number): ComputesHead {
    return this.#head(now, this.#list(ALL).rows.at(now).tallies);
  }

  /** Everything a node has ever announced, listed or not, by name; as of `now` (ms). */
  ofNode(nodeId: string, now: number): AnnouncedRow[] {
    return [...(this.#byNode.get(nodeId) ?? [])]
      .flatMap((id) => this.context.live.computes.get(id) ?? [])
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((row) => presentAnnounced(this.context, row, now));
  }

  /** Whether the directory has listed the row at any time since this process started. */
  wasListed(row: ComputeRow): boolean {
    return this.#wasListed.has(row.id);
  }

  /** Changes whenever the directory may have changed, except by the passage of time. */
  version(): string {
    const { live, names, clock } = this.context;
    return `${live.computes.version}.${names.version}${live.degraded(clock()) ? '.degraded' : ''}`;
  }

  #present(row: ComputeRow, now: number): Compute {
    const known = this.#presented.get(row);
    if (known && now <= known.until) return known.compute;
    const freshMs = this.context.config.computeFreshMs;
    const compute = presentCompute(row, now, freshMs);
    this.#presented.set(row, { compute, until: computeStatusUntil(row, now, freshMs) });
    return compute;
  }

  #list({ visibility, available }: ComputesQuery): FilteredList {
    const list = this.#lists.get(`${visibility} ${available}`);
    if (!list) throw new Error(`no list for visibility=${visibility} available=${available}`);
    return list;
  }

  #createList(query: ComputesQuery): FilteredList {
    const { config, clock, serverId } = this.context;
    const freshMs = config.computeFreshMs;
    const rows = new PagedJson<ComputeRow, ComputeStats>({
      compare: (a, b) => a.firstSeen.getTime() - b.firstSeen.getTime(),
      tally: emptyStats,
      render: (row, now, tally, until) => {
        until(computeStatusUntil(row, now, freshMs));
        if (query.visibility !== 'all' && row.visibility !== query.visibility) return null;
        if (!isListed(this.context, row)) return null;
        const compute = presentCompute(row, now, freshMs);
        if (query.available && compute.status !== 'available') return null;
        tally.total++;
        tally[compute.status]++;
        tally.replicas += compute.replicas;
        if (compute.status === 'available') tally.freeSlots += compute.freeSlots;
        return JSON.stringify(compute);
      },
    });
    const answer = new AnswerCache({
      clock,
      epoch: serverId,
      version: () => this.version(),
      make: (now) => {
        const { chunks, tallies, until } = rows.at(now);
        return {
          json: Buffer.concat([
            Buffer.from(`${JSON.stringify(this.#head(now, tallies)).slice(0, -1)},"computes":[`),
            ...chunks,
            Buffer.from(']}'),
          ]),
          until,
        };
      },
    });
    return { rows, answer };
  }

  #head(now: number, tallies: ComputeStats[]): ComputesHead {
    const stats = emptyStats();
    for (const tally of tallies)
      for (const key of Object.keys(stats) as (keyof ComputeStats)[]) stats[key] += tally[key];
    return {
      updatedAt: new Date(this.context.live.asOf(now)).toISOString(),
      availableMs: this.context.config.computeFreshMs,
      stats,
    };
  }
}
