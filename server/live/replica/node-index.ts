import type {
  BlockedRow,
  ComputeRow,
  HiddenRow,
  NodeKeyRow,
  PeerRow,
  RegistrationRow,
} from '#db/schema/index.ts';
import { SetMap } from '#server/common/set-map.ts';
import type { LiveTable } from './live-table.ts';

/** The tables that hold something of a node. */
interface NodeTables {
  readonly blocked: LiveTable<BlockedRow>;
  readonly hidden: LiveTable<HiddenRow>;
  readonly peers: LiveTable<PeerRow>;
  readonly computes: LiveTable<ComputeRow>;
  readonly nodeKeys: LiveTable<NodeKeyRow>;
  readonly registrations: LiveTable<RegistrationRow>;
}

const CAPITAL = /[A-Z]/;

/** IDs that differ from another only in the case of letters. */
export interface SimilarIds {
  /** The first of them that were known, at most {@link SIMILAR_MAX}, sorted. */
  ids: string[];
  /** How many there are. */
  count: number;
}
/** IDs that are named. */
const SIMILAR_MAX = 5;

/**
 * What the tables hold of one node, which others have nearly the same id, and whether it is shown. Two things hide a node
 * with its offers: reviewers have blocked it, or it was removed by the network's secret alone. The latter ends with
 * whatever is heard of the node afterwards. No row says so: the moments decide, so that every server finds it by itself,
 * and a heartbeat writes nothing more than it does otherwise.
 */
export class NodeIndex {
  readonly #offers = new SetMap<string>();
  readonly #hidden = new Set<string>();
  readonly #listeners: ((nodeId: string) => void)[] = [];
  /** The registrations of active names, by node. */
  readonly #active = new SetMap<string>();
  /** The ids that have capital letters, by what they are without: the others are found by themselves. */
  readonly #capitalised = new SetMap<string>();

  constructor(private readonly tables: NodeTables) {
    const { blocked, hidden, peers, computes, nodeKeys, registrations } = tables;
    const judge = ({ id }: { id: string }) => this.#judge(id);
    hidden.follow({ changed: judge, removed: judge });
    peers.follow({
      changed: ({ id }, before) => {
        if (!before) this.#note(id);
        if (hidden.size > 0) this.#judge(id);
      },
      removed: ({ id }) => {
        this.#forget(id);
        this.#judge(id);
      },
    });
    computes.follow({
      changed: ({ id, nodeId }) => {
        this.#offers.add(nodeId, id);
        this.#note(nodeId);
        if (hidden.size > 0) this.#judge(nodeId);
      },
      removed: ({ id, nodeId }) => {
        this.#offers.delete(nodeId, id);
        this.#forget(nodeId);
        this.#judge(nodeId);
      },
    });
    nodeKeys.follow({
      changed: ({ id }) => this.#note(id),
      removed: ({ id }) => this.#forget(id),
    });
    registrations.follow({
      changed: ({ id, nodeId, status }) => {
        if (status === 'active') {
          this.#active.add(nodeId, id);
          this.#note(nodeId);
        } else {
          this.#active.delete(nodeId, id);
          this.#forget(nodeId);
        }
      },
      removed: ({ id, nodeId }) => {
        this.#active.delete(nodeId, id);
        this.#forget(nodeId);
      },
    });
    const tell = ({ id }: { id: string }) => this.#tell(id);
    blocked.follow({ changed: tell, removed: tell });
  }

  /** The ids of everything a node has ever announced. */
  offersOf(nodeId: string): ReadonlySet<string> {
    return this.#offers.get(nodeId);
  }

  /** Whether an active name is registered for the node. */
  isNamed(nodeId: string): boolean {
    return this.#active.get(nodeId).size > 0;
  }

  /** When a node was last heard of, by a heartbeat or an announcement, ms; -Infinity: never. */
  lastHeard(nodeId: string): number {
    const { peers, computes } = this.tables;
    let last = peers.get(nodeId)?.lastSeen.getTime() ?? -Infinity;
    for (const offer of this.offersOf(nodeId))
      last = Math.max(last, computes.get(offer)?.lastSeen.getTime() ?? -Infinity);
    return last;
  }

  /** Whether anything has been heard of the node, or it has a key or an active name. */
  isKnown(nodeId: string): boolean {
    const { peers, nodeKeys } = this.tables;
    return (
      peers.get(nodeId) !== undefined ||
      nodeKeys.get(nodeId) !== undefined ||
      this.#offers.get(nodeId).size > 0 ||
      this.isNamed(nodeId)
    );
  }

  /**
   * The ids of other nodes that are shown and differ from this one only in the case of letters. Whoever knows the network's
   * secret can make thousands of them, so not all are named.
   * @param id any text
   */
  similarTo(id: string): SimilarIds {
    const small = id.toLowerCase();
    const similar: SimilarIds = { ids: [], count: 0 };
    const add = (other: string): void => {
      if (other === id || !this.isShown(other)) return;
      if (++similar.count <= SIMILAR_MAX) similar.ids.push(other);
    };
    if (this.isKnown(small)) add(small);
    for (const other of this.#capitalised.get(small)) add(other);
    similar.ids.sort();
    return similar;
  }

  #note(nodeId: string): void {
    if (CAPITAL.test(nodeId)) this.#capitalised.add(nodeId.toLowerCase(), nodeId);
  }

  #forget(nodeId: string): void {
    if (CAPITAL.test(nodeId) && !this.isKnown(nodeId))
      this.#capitalised.delete(nodeId.toLowerCase(), nodeId);
  }

  /** Whether reviewers have blocked the node: its rows are stored but not shown, and new ones are refused. */
  isBlocked(nodeId: string): boolean {
    return this.tables.blocked.get(nodeId)?.liftedAt === null;
  }

  /** Since when a node has been hidden, because somebody has removed it by the network's secret; null: it is not. */
  hiddenSince(nodeId: string): Date | null {
    return this.#hidden.has(nodeId) ? (this.tables.hidden.get(nodeId)?.hiddenAt ?? null) : null;
  }

  /** Whether lists and pages show what is stored of the node. */
  isShown(nodeId: string): boolean {
    return !this.isBlocked(nodeId) && !this.#hidden.has(nodeId);
  }

  /** Calls `listener` whenever {@link isShown} may have changed for a node of which something is stored. */
  onShownOrHidden(listener: (nodeId: string) => void): void {
    this.#listeners.push(listener);
  }

  #judge(nodeId: string): void {
    const row = this.tables.hidden.get(nodeId);
    const hidden = row !== undefined && row.hiddenAt.getTime() >= this.lastHeard(nodeId);
    if (hidden === this.#hidden.has(nodeId)) return;
    if (hidden) this.#hidden.add(nodeId);
    else this.#hidden.delete(nodeId);
    this.#tell(nodeId);
  }

  #tell(nodeId: string): void {
    for (const listener of this.#listeners) listener(nodeId);
  }
}
