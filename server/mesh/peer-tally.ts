import type { PeerRow } from '#db/schema.ts';
import { UNKNOWN_REGION, type NodeClass } from '#server/common/values.schema.ts';
import type { MeshStats } from './mesh.schema.ts';
import { peerStatusUntil } from './peer.ts';
import type { PeerStatus } from './values.schema.ts';

export type PeerTotals = Pick<MeshStats, 'peers' | PeerStatus | 'byClass' | 'byRegion'>;

interface Counted {
  status: PeerStatus;
  class: NodeClass;
  region: string;
  /** The last moment (ms) at which the status is right. */
  until: number;
}

/**
 * How many peers there are, by status, class and region. Counted as rows change and as time passes, so asking costs
 * the same however many peers there are.
 */
export class PeerTally {
  readonly #counted = new Map<string, Counted>();
  readonly #byStatus: Record<PeerStatus, number> = { online: 0, syncing: 0, idle: 0, offline: 0 };
  readonly #byClass: Record<NodeClass, number> = { S: 0, M: 0, L: 0 };
  readonly #byRegion = new Map<string, number>();
  /** Peers by the second in which they may go offline. One that reported again since stands in a later second too. */
  readonly #due = new Map<number, string[]>();

  /** Adds a peer, or replaces the one with its id. */
  set(row: PeerRow): void {
    this.delete(row.id);
    const counted: Counted = {
      status: row.status,
      class: row.class ?? 'S',
      region: row.region ?? UNKNOWN_REGION,
      until: peerStatusUntil(row, row.lastSeen.getTime()),
    };
    this.#counted.set(row.id, counted);
    this.#add(counted, 1);
    if (counted.until !== Infinity) this.#expect(row.id, counted.until);
  }

  delete(id: string): void {
    const counted = this.#counted.get(id);
    if (!counted) return;
    this.#counted.delete(id);
    this.#add(counted, -1);
  }

  /** The totals at `now` (ms), which must not go back. */
  at(now: number): PeerTotals {
    this.#expire(now);
    return {
      peers: this.#counted.size,
      ...this.#byStatus,
      byClass: { ...this.#byClass },
      // No prototype: a region may have any name that matches its pattern.
      byRegion: Object.assign(
        Object.create(null) as Record<string, number>,
        Object.fromEntries(this.#byRegion),
      ),
    };
  }

  #expire(now: number): void {
    // A copy: who goes offline later in this very second is added again.
    for (const [second, ids] of [...this.#due]) {
      if (second * 1000 > now) continue;
      this.#due.delete(second);
      for (const id of ids) {
        const counted = this.#counted.get(id);
        if (!counted || Math.floor(counted.until / 1000) !== second) continue;
        if (now <= counted.until) this.#expect(id, counted.until);
        else {
          this.#add(counted, -1);
          counted.status = 'offline';
          counted.until = Infinity;
          this.#add(counted, 1);
        }
      }
    }
  }

  #expect(id: string, until: number): void {
    const second = Math.floor(until / 1000);
    const ids = this.#due.get(second);
    if (ids) ids.push(id);
    else this.#due.set(second, [id]);
  }

  #add({ status, class: nodeClass, region }: Counted, change: 1 | -1): void {
    this.#byStatus[status] += change;
    this.#byClass[nodeClass] += change;
    const count = (this.#byRegion.get(region) ?? 0) + change;
    if (count === 0) this.#byRegion.delete(region);
    else this.#byRegion.set(region, count);
  }
}
