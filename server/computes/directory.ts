import type {
  AnnouncedRow,
  Compute,
  ComputesHead,
  ComputesQuery,
} from '@mesh-registry/protocol/rest/computes.schema.ts';
import { VISIBILITIES } from '@mesh-registry/protocol/values.schema.ts';
import type { ComputeRow } from '#db/schema/index.ts';
import { SetMap } from '#server/common/set-map.ts';
import { Slices, sortInSlices } from '#server/common/slices.ts';
import {
  ListAnswer,
  slicedAnswer,
  SlicedAnswers,
  type Cursor,
  type Answer,
  ChangeStream,
  type TextAsker,
  type TextParts,
} from '#server/live/index.ts';
import { OfferTotals } from './offer-totals.ts';
import {
  computeStatus,
  computeStatusUntil,
  isListed,
  presentAnnounced,
  presentCompute,
  type ComputesContext,
} from './offer.ts';

/** From this many offers on, making a list of objects of them takes milliseconds. */
export const MANY_OFFERS = 1000;

/** The directory, as pages and downloads take it: in slices, between which other requests have their turn. */
export interface DirectoryList {
  head: ComputesHead;
  /** Does something with each compute offer that was listed when the list was asked for. */
  each: (step: (compute: Compute) => void) => Promise<void>;
  sort: typeof sortInSlices;
}

/** The whole directory, unfiltered. */
const ALL: ComputesQuery = { visibility: 'all', available: false };

/**
 * The directory as GET /api/registry/computes, the event stream and the page show it: one list per
 * combination of filters.
 */
export class ComputeDirectory {
  readonly #lists = new Map<string, ListAnswer<ComputeRow, Cursor>>();
  readonly #totals: OfferTotals;
  /** Ids by name: when a name becomes active, the directory lists its compute offers. */
  readonly #byName = new SetMap<string>();
  readonly #wasListed = new Set<string>();
  readonly #files = new SlicedAnswers();
  /** Rows as last presented, and until when (ms) that is right. A changed row is another object. */
  readonly #presented = new WeakMap<ComputeRow, { compute: Compute; until: number }>();

  constructor(private readonly context: ComputesContext) {
    this.#totals = new OfferTotals(context);
    for (const visibility of [...VISIBILITIES, 'all'] as const)
      for (const available of [false, true])
        this.#lists.set(`${visibility} ${available}`, this.#createList({ visibility, available }));

    const { live, names, clock } = context;
    live.computes.follow({
      changed: (row) => {
        this.#byName.add(row.name, row.id);
        for (const list of this.#lists.values()) list.set(row);
        this.#totals.set(row, clock());
        if (isListed(context, row)) this.#wasListed.add(row.id);
      },
      removed: (row) => {
        this.#byName.delete(row.name, row.id);
        for (const list of this.#lists.values()) list.delete(row.id);
        this.#totals.delete(row.id);
      },
    });
    names.onChange((name) => this.#touch(this.#byName.get(name)));
    live.nodes.onShownOrHidden((id) => this.#touch(live.nodes.offersOf(id)));
    // An offer shows the label of its node's heartbeats.
    live.peers.follow({
      changed: ({ id, label }, before) => {
        if (label !== (before?.label ?? null)) this.#touch(live.nodes.offersOf(id));
      },
      removed: ({ id }) => this.#touch(live.nodes.offersOf(id)),
    });
  }

  /** Something that decides whether these are listed, or what they show, has changed. */
  #touch(ids: ReadonlySet<string>): void {
    const { live, clock } = this.context;
    for (const id of ids) {
      for (const list of this.#lists.values()) list.touch(id);
      live.computes.touch(id);
      const row = live.computes.get(id);
      if (!row) continue;
      this.#presented.delete(row);
      this.#totals.set(row, clock());
      if (isListed(this.context, row)) this.#wasListed.add(id);
    }
  }

  answer(query: ComputesQuery): Answer | Promise<Answer> {
    return this.#list(query).answer();
  }

  whole() {
    return this.#list(ALL).whole();
  }

  /** The whole directory in the order of the REST answer, as objects: for pages, which filter it themselves. */
  list(): DirectoryList {
    const now = this.context.clock();
    const rows = this.#list(ALL).slice(0, Infinity);
    return {
      head: this.head(now),
      each: (step) =>
        new Slices().each(rows, (row) => {
          if (isListed(this.context, row)) step(this.#present(row, now));
        }),
      sort: sortInSlices,
    };
  }

  /**
   * A file that is made of the list. If that is large, everybody who asks within a second or so gets the same one.
   * @param key tells files apart
   */
  file(key: string, parts: (list: DirectoryList) => TextParts, asker: TextAsker): Promise<Answer> {
    const { live, listWorker } = this.context;
    const make = () => parts(this.list());
    const { size } = live.computes;
    if (size >= listWorker.fromRows) return this.#files.get(key, make, size, asker);
    asker.count(size);
    return slicedAnswer(make, asker.signal);
  }

  /** Totals of the whole directory, as of `now` (ms). */
  head(now: number): ComputesHead {
    return this.#head(ALL, now);
  }

  /**
   * The listed offers with these names or ids, as of `now` (ms); null for one that isn't listed. Of a name that several
   * nodes announce, the first by id.
   */
  find(keys: readonly string[], now: number): (Compute | null)[] {
    const { live } = this.context;
    return keys.map((key) => {
      const ids = key.includes(':') ? [key] : [...this.#byName.get(key)].sort();
      const rows = ids.flatMap((id) => live.computes.get(id) ?? []);
      const row = rows.find((row) => isListed(this.context, row));
      return row ? this.#present(row, now) : null;
    });
  }

  /** Everything a node has ever announced, listed or not, by name; as of `now` (ms). */
  ofNode(nodeId: string, now: number): AnnouncedRow[] {
    return [...this.context.live.nodes.offersOf(nodeId)]
      .flatMap((id) => this.context.live.computes.get(id) ?? [])
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((row) => presentAnnounced(this.context, row, now));
  }

  /** Whether the directory has listed the row at any time since this process started. */
  wasListed(row: ComputeRow): boolean {
    return this.#wasListed.has(row.id);
  }

  /** Changes whenever `head` does, except with the compute offers and the passage of time. */
  headVersion(): string {
    return this.context.live.degraded() ? 'degraded' : '';
  }

  #present(row: ComputeRow, now: number): Compute {
    const known = this.#presented.get(row);
    if (known && now <= known.until) return known.compute;
    const freshMs = this.context.config.computeFreshMs;
    const compute = presentCompute(this.context, row, now);
    this.#presented.set(row, { compute, until: computeStatusUntil(row, now, freshMs) });
    return compute;
  }

  #list({ visibility, available }: ComputesQuery): ListAnswer<ComputeRow, Cursor> {
    const list = this.#lists.get(`${visibility} ${available}`);
    if (!list) throw new Error(`no list for visibility=${visibility} available=${available}`);
    return list;
  }

  #createList(query: ComputesQuery): ListAnswer<ComputeRow, Cursor> {
    const { config, live, names } = this.context;
    const freshMs = config.computeFreshMs;
    return new ListAnswer<ComputeRow, Cursor>(this.context, {
      id: `computes ${query.visibility} ${query.available}`,
      name: 'computes',
      order: (row) => row.firstSeen.getTime(),
      render: (row, now, until) => {
        until(computeStatusUntil(row, now, freshMs));
        if (query.visibility !== 'all' && row.visibility !== query.visibility) return null;
        if (!isListed(this.context, row)) return null;
        const compute = presentCompute(this.context, row, now);
        return query.available && compute.status !== 'available' ? null : JSON.stringify(compute);
      },
      frame: (now) => ({
        head: this.#head(query, now),
        mark: { version: live.computes.version, at: now, headVersion: this.headVersion() },
      }),
      version: () => `${live.computes.version}.${names.version}.${this.headVersion()}`,
    });
  }

  #head(query: ComputesQuery, now: number): ComputesHead {
    return {
      updatedAt: new Date(this.context.live.asOf(now)).toISOString(),
      availableMs: this.context.config.computeFreshMs,
      stats: this.#totals.at(query, now),
    };
  }
}

/** The event stream of the directory. */
export function computesChanges(context: ComputesContext, directory: ComputeDirectory) {
  const { config, live } = context;
  const freshMs = config.computeFreshMs;
  return new ChangeStream<ComputeRow, ComputesHead, Compute>(context, {
    table: live.computes,
    list: directory,
    headVersion: () => directory.headVersion(),
    head: (now) => directory.head(now),
    aged: (row, then, now) =>
      computeStatus(row, then, freshMs) !== computeStatus(row, now, freshMs),
    present: (row, now) => (isListed(context, row) ? presentCompute(context, row, now) : null),
    wasShown: (row) => directory.wasListed(row),
  });
}
