import type { BlockedRow, ComputeRow, HiddenRow, PeerRow } from '#db/schema/index.ts';
import { SetMap } from '#server/common/set-map.ts';
import type { LiveTable } from './live-table.ts';

/** The tables that hold something of a node. */
interface NodeTables {
  readonly blocked: LiveTable<BlockedRow>;
  readonly hidden: LiveTable<HiddenRow>;
  readonly peers: LiveTable<PeerRow>;
  readonly computes: LiveTable<ComputeRow>;
}

/**
 * What the tables hold of one node, and whether it is shown. Two things hide a node with its offers: reviewers have
 * blocked it, or it was removed by the network's secret alone. The latter ends with whatever is heard of the node
 * afterwards. No row says so: the moments decide, so that every server finds it by itself, and a heartbeat writes nothing
 * more than it does otherwise.
 */
export class NodeIndex {
  readonly #offers = new SetMap<string>();
  readonly #hidden = new Set<string>();
  readonly #listeners: ((nodeId: string) => void)[] = [];

  constructor(private readonly tables: NodeTables) {
    const { blocked, hidden, peers, computes } = tables;
    const judge = ({ id }: { id: string }) => this.#judge(id);
    hidden.follow({ changed: judge, removed: judge });
    peers.follow({
      changed: ({ id }) => {
        if (hidden.size > 0) this.#judge(id);
      },
      removed: judge,
    });
    computes.follow({
      changed: ({ id, nodeId }) => {
        this.#offers.add(nodeId, id);
        if (hidden.size > 0) this.#judge(nodeId);
      },
      removed: ({ id, nodeId }) => {
        this.#offers.delete(nodeId, id);
        this.#judge(nodeId);
      },
    });
    const tell = ({ id }: { id: string }) => this.#tell(id);
    blocked.follow({ changed: tell, removed: tell });
  }

  /** The ids of everything a node has ever announced. */
  offersOf(nodeId: string): ReadonlySet<string> {
    return this.#offers.get(nodeId);
  }

  /** When a node was last heard of, by a heartbeat or an announcement, ms; -Infinity: never. */
  lastHeard(nodeId: string): number {
    const { peers, computes } = this.tables;
    let last = peers.get(nodeId)?.lastSeen.getTime() ?? -Infinity;
    for (const offer of this.offersOf(nodeId))
      last = Math.max(last, computes.get(offer)?.lastSeen.getTime() ?? -Infinity);
    return last;
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
