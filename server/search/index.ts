import { searchText } from '#server/common/search-text.schema.ts';
import type { ServiceContext } from '#server/context.ts';
import type { NameIndex } from '#server/names/index.ts';
import { peerStatus, presentGenesis, type MeshService } from '#server/mesh/index.ts';
import { computeStatus, type ComputesService } from '#server/computes/index.ts';
import type { RegistryService } from '#server/registry/index.ts';
import {
  HIT_KINDS,
  HITS_PER_KIND,
  SEARCH_MAX,
  type HitKind,
  type SearchHit,
  type SearchResult,
} from './search.schema.ts';
import { createNearest } from './nearest.ts';
import { TextIndex, type Rank } from './text-index.ts';

const GENESIS = 'genesis';

/** The rooms whose lists are searched. */
export interface SearchSources {
  names: NameIndex;
  mesh: Pick<MeshService, 'genesis'>;
  computes: Pick<ComputesService, 'isListed'>;
  registry: Pick<RegistryService, 'name' | 'labelOf'>;
}

/**
 * Searches nodes by ID and label, names by name and label, and listed compute offers by name and image. From memory:
 * it shows what the public lists show, at the same moment.
 */
export class Search {
  /** What each kind shows of a hit; null for what the public lists do not show. */
  readonly #present: Record<HitKind, (id: string, now: number) => SearchHit | null> = {
    name: (name, now) => this.#name(name, now),
    node: (id, now) => this.#node(id, now),
    compute: (id, now) => this.#compute(id, now),
  };
  /** What an address that leads nowhere may have been meant for. */
  readonly nearest: ReturnType<typeof createNearest>;
  readonly #indexes = { name: new TextIndex(), node: new TextIndex(), compute: new TextIndex() };

  constructor(
    private readonly context: ServiceContext,
    private readonly sources: SearchSources,
  ) {
    const { live, config } = context;
    const { names } = sources;
    this.nearest = createNearest(context, { names });
    const { name: nameIndex, node: nodeIndex, compute: computeIndex } = this.#indexes;
    nodeIndex.set(GENESIS, [GENESIS, config.genesis.label]);
    const indexName = (name: string) => {
      const label = sources.registry.labelOf(name);
      if (label === undefined) nameIndex.delete(name);
      else nameIndex.set(name, [name, label]);
    };
    const indexNamesOf = (nodeId: string) => names.ofNode(nodeId).forEach(indexName);
    names.onChange(indexName);
    live.nodes.onShownOrHidden(indexNamesOf);
    live.peers.follow({
      changed(row, before) {
        if (before && before.label === row.label) return;
        nodeIndex.set(row.id, row.label === null ? [row.id] : [row.id, row.label]);
        indexNamesOf(row.id);
      },
      removed({ id }) {
        nodeIndex.delete(id);
        indexNamesOf(id);
      },
    });
    live.computes.follow({
      changed(row, before) {
        if (before?.name !== row.name || before.image !== row.image)
          computeIndex.set(row.id, [row.name, row.image]);
      },
      removed: ({ id }) => computeIndex.delete(id),
    });
  }

  /** How many rows a search looks through. */
  size(): number {
    const { peers, computes, registrations } = this.context.live;
    return peers.size + computes.size + registrations.size;
  }

  /**
   * The best matches of each kind, as of `now` (ms). The work is bounded by the texts in memory, some 40 characters
   * per row, which are searched at most three times.
   * @param given any text; control characters are ignored
   */
  find(given: string, now = this.context.clock()): SearchResult {
    const q = searchText(given, SEARCH_MAX);
    const named = new Set<string>();
    const ranked: { rank: Rank; hit: SearchHit }[] = [];
    const more: HitKind[] = [];
    for (const kind of HIT_KINDS) {
      let listed = 0;
      for (const { id, rank } of this.#indexes[kind].find(q)) {
        // The page of a name shows its compute offer: one of the two is enough.
        const hit = kind === 'compute' && named.has(id) ? null : this.#present[kind](id, now);
        if (!hit) continue;
        if (listed === HITS_PER_KIND) {
          more.push(kind);
          break;
        }
        listed++;
        ranked.push({ rank, hit });
        if (kind === 'name') {
          const row = this.sources.names.active(id);
          if (row) named.add(`${row.nodeId}:${id}`);
        }
      }
    }
    ranked.sort((a, b) => a.rank - b.rank);
    return { q, hits: ranked.map(({ hit }) => hit), more };
  }

  #name(name: string, now: number): SearchHit | null {
    const { entry } = this.sources.registry.name(name, now);
    if (!entry) return null;
    const { label, node, compute } = entry;
    return {
      kind: 'name',
      id: name,
      title: name,
      detail: label === name ? '' : label,
      status: node?.status ?? compute?.status ?? null,
      href: `/registry/${name}`,
    };
  }

  #node(id: string, now: number): SearchHit | null {
    const { config, live } = this.context;
    if (id === GENESIS) {
      const { label, status } = presentGenesis({ config, genesis: this.sources.mesh.genesis });
      return hitOfNode(id, label, status);
    }
    const row = live.peers.get(id);
    return row && live.nodes.isShown(id)
      ? hitOfNode(id, row.label ?? id, peerStatus(row, now))
      : null;
  }

  #compute(id: string, now: number): SearchHit | null {
    const { live, config } = this.context;
    const { names, computes } = this.sources;
    const row = live.computes.get(id);
    if (!row || !computes.isListed(row)) return null;
    const named = names.active(row.name)?.nodeId === row.nodeId;
    return {
      kind: 'compute',
      id,
      title: row.name,
      detail: row.image,
      status: computeStatus(row, now, config.computeFreshMs),
      href: named ? `/registry/${row.name}` : `/nodes/${row.nodeId}`,
    };
  }
}

const hitOfNode = (id: string, label: string, status: SearchHit['status']): SearchHit => ({
  kind: 'node',
  id,
  title: label,
  detail: label === id ? '' : id,
  status,
  href: `/nodes/${id}`,
});
