import { AnswerCache, type Answer } from '#server/live/answer-cache.ts';
import type { ComputeRow, RegistrationRow } from '#server/live/read-model.ts';
import { PagedJson } from '#server/live/paged-json.ts';
import type {
  Announce,
  AnnounceAnswer,
  AnnouncedRow,
  Compute,
  ComputesHead,
  ComputesQuery,
  ComputeStats,
} from './computes.schema.ts';
import { isReservedNodeId } from '#server/common/fields.schema.ts';
import {
  NEXT_ANNOUNCE_MS,
  VISIBILITIES,
  type ComputeStatus,
  type UnlistedReason,
} from '#server/common/values.schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { publishableLabel, requireUnblocked, reservedNodeId } from '#server/mesh/mesh.ts';
import type { NameIndex } from '#server/registry/name-index.ts';

/** Offline once the last announce is older than `freshMs`; else busy without free slots; else available. */
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

export function presentCompute(row: ComputeRow, now: number, freshMs: number): Compute {
  return {
    id: row.id,
    name: row.name,
    nodeId: row.nodeId,
    label: row.label ?? row.nodeId,
    image: row.image,
    visibility: row.visibility,
    class: row.class,
    backend: row.backend,
    replicas: row.replicas,
    freeSlots: row.freeSlots,
    status: computeStatus(row, now, freshMs),
    lastSeen: row.lastSeen.toISOString(),
    firstSeen: row.firstSeen.toISOString(),
  };
}

/** Why the directory does not show a compute; null where it does. `active` is the active registration of its name. */
export function unlistedReason(
  row: Pick<ComputeRow, 'nodeId'>,
  active: RegistrationRow | undefined,
): UnlistedReason | null {
  if (!active) return 'name_not_active';
  if (active.nodeId !== row.nodeId) return 'name_owned_by_another_node';
  if (!active.kinds.includes('compute')) return 'registration_lacks_compute';
  return null;
}

/** A compute as its own node sees it: also whether the directory shows it, and if not, why. */
export function presentAnnounced(
  s: ServiceContext & { names: NameIndex },
  row: ComputeRow,
  now: number,
): AnnouncedRow {
  const reason =
    s.config.computeListing === 'announced' ? null : unlistedReason(row, s.names.active(row.name));
  return {
    ...presentCompute(row, now, s.config.computeFreshMs),
    listed: reason === null,
    reason,
  };
}

/**
 * A host's announce: all of its computes are stored, or none. Resolves after the commit.
 * @throws AppError `invalid_body`, `reserved_node_id`, `blocked`, `unavailable`
 */
export async function announce(
  s: ServiceContext & { names: NameIndex },
  { nodeId, label: raw, computes }: Announce,
  now = s.clock(),
): Promise<AnnounceAnswer> {
  if (isReservedNodeId(nodeId)) throw reservedNodeId();
  requireUnblocked(s, nodeId);
  const label = publishableLabel(raw);
  const rows = await s.announces.write(
    computes.map((compute) => ({ ...compute, nodeId, label, at: now })),
  );
  const shownAt = s.clock();
  const freshMs = s.config.computeFreshMs;
  return {
    ok: true,
    nodeId,
    count: rows.length,
    computes: rows.map((row) => presentAnnounced(s, row, shownAt)),
    availableMs: freshMs,
    nextAnnounceMs: Math.min(NEXT_ANNOUNCE_MS, Math.floor(freshMs / 2)),
  };
}

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

interface Variant {
  rows: PagedJson<ComputeRow, ComputeStats>;
  answer: AnswerCache;
}

/** The directory as GET /api/registry/computes and the event stream show it: one list per combination of filters. */
export class ComputesView {
  readonly #variants = new Map<string, Variant>();
  /** Computes by name: a name that becomes active changes what the directory shows of them. */
  readonly #byName = new Map<string, Set<string>>();
  readonly #byNode = new Map<string, Set<string>>();
  readonly #wasListed = new Set<string>();
  /** Rows as last shown, and until when (ms) they look so: a row that changes is another object. */
  readonly #shown = new WeakMap<ComputeRow, { compute: Compute; until: number }>();

  constructor(private readonly s: ServiceContext & { names: NameIndex }) {
    for (const visibility of [...VISIBILITIES, 'all'] as const)
      for (const available of [false, true])
        this.#variants.set(`${visibility} ${available}`, this.#variant({ visibility, available }));

    s.live.computes.follow((row) => {
      addTo(this.#byName, row.name, row.id);
      addTo(this.#byNode, row.nodeId, row.id);
      for (const { rows } of this.#variants.values()) rows.set(row);
      if (this.listed(row)) this.#wasListed.add(row.id);
    });
    s.names.onChange((name) => this.#touch(this.#byName.get(name)));
    s.live.blocked.follow(({ id }) => this.#touch(this.#byNode.get(id)));
  }

  /** What decides whether the directory lists these has changed. */
  #touch(ids: ReadonlySet<string> | undefined): void {
    for (const id of ids ?? []) {
      for (const { rows } of this.#variants.values()) rows.touch(id);
      this.s.live.computes.touch(id);
      const row = this.s.live.computes.get(id);
      if (row && this.listed(row)) this.#wasListed.add(id);
    }
  }

  answer(query: ComputesQuery): Answer {
    return this.#get(query).answer.get();
  }

  /** The whole directory in the order of the REST answer, as rows: for pages, which filter it themselves. */
  list(): { head: ComputesHead; computes: Compute[] } {
    const now = this.s.clock();
    const rows = this.#get({ visibility: 'all', available: false }).rows.slice(0, Infinity);
    return {
      head: this.head(now),
      computes: rows.filter((row) => this.listed(row)).map((row) => this.#present(row, now)),
    };
  }

  /** Totals of the whole directory, as of `now`. */
  head(now: number): ComputesHead {
    return this.#head(now, this.#get({ visibility: 'all', available: false }).rows.at(now).tallies);
  }

  /** What a node has announced at any time, listed or not, by name; as of `now` (ms). */
  ofNode(nodeId: string, now: number): AnnouncedRow[] {
    return [...(this.#byNode.get(nodeId) ?? [])]
      .flatMap((id) => this.s.live.computes.get(id) ?? [])
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((row) => presentAnnounced(this.s, row, now));
  }

  /** Whether the directory has shown the row at any time in this process's life. */
  wasListed(row: ComputeRow): boolean {
    return this.#wasListed.has(row.id);
  }

  /** Changes whenever the directory may have changed by anything but the passing of time. */
  version(): string {
    const { live, names, clock } = this.s;
    return `${live.computes.version}.${names.version}${live.degraded(clock()) ? '.degraded' : ''}`;
  }

  listed(row: ComputeRow): boolean {
    if (this.s.live.isBlocked(row.nodeId)) return false;
    return (
      this.s.config.computeListing === 'announced' ||
      unlistedReason(row, this.s.names.active(row.name)) === null
    );
  }

  #present(row: ComputeRow, now: number): Compute {
    const shown = this.#shown.get(row);
    if (shown && now <= shown.until) return shown.compute;
    const freshMs = this.s.config.computeFreshMs;
    const compute = presentCompute(row, now, freshMs);
    this.#shown.set(row, { compute, until: computeStatusUntil(row, now, freshMs) });
    return compute;
  }

  #get({ visibility, available }: ComputesQuery): Variant {
    const variant = this.#variants.get(`${visibility} ${available}`);
    if (!variant) throw new Error('a filter without its list');
    return variant;
  }

  #variant(query: ComputesQuery): Variant {
    const freshMs = this.s.config.computeFreshMs;
    const rows = new PagedJson<ComputeRow, ComputeStats>({
      compare: (a, b) => a.firstSeen.getTime() - b.firstSeen.getTime() || (a.id < b.id ? -1 : 1),
      tally: emptyStats,
      render: (row, now, tally, until) => {
        until(computeStatusUntil(row, now, freshMs));
        if (query.visibility !== 'all' && row.visibility !== query.visibility) return null;
        if (!this.listed(row)) return null;
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
      clock: this.s.clock,
      epoch: this.s.serverId,
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
      updatedAt: new Date(this.s.live.asOf(now)).toISOString(),
      availableMs: this.s.config.computeFreshMs,
      stats,
    };
  }
}
