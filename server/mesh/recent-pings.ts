import type { RecentPing } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { PeerRow } from '#db/schema/index.ts';
import type { LiveModel } from '#server/live/index.ts';
import { shownLabel } from './peer.ts';

/** How long a ping counts as recent, milliseconds. */
export const RECENT_MS = 45_000;
const RECENT_MAX = 24;

/** The newest pings, which the map animates: at most 24, newest first. */
export class RecentPings {
  #rows: PeerRow[] = [];

  constructor(private readonly live: LiveModel) {}

  /** Rows arrive in the order of their commits, which is nearly that of their pings. */
  add(row: PeerRow): void {
    let index = 0;
    for (const other of this.#rows) {
      if (isNewer(row, other)) break;
      index++;
    }
    if (index >= RECENT_MAX) return;
    this.#rows.splice(index, 0, row);
    if (this.#rows.length > RECENT_MAX) this.#rows.length = RECENT_MAX;
  }

  /** Forgets the pings of a node: they are no longer in the database. */
  delete(id: string): void {
    this.#rows = this.#rows.filter((row) => row.id !== id);
  }

  /** The pings of the 45 s before `now` (ms). */
  at(now: number): RecentPing[] {
    return this.#rows
      .filter(
        ({ id, lastSeen }) => now - lastSeen.getTime() <= RECENT_MS && this.live.nodes.isShown(id),
      )
      .map((row) => ({
        id: row.id,
        label: shownLabel(row),
        lat: row.lat,
        lng: row.lng,
        at: row.lastSeen.toISOString(),
        isNew: row.joinedAt.getTime() === row.lastSeen.getTime(),
      }));
  }
}

/** Of pings in the same millisecond, the one with the higher id: every server has the same order. */
function isNewer(a: PeerRow, b: PeerRow): boolean {
  const difference = a.lastSeen.getTime() - b.lastSeen.getTime();
  return difference > 0 || (difference === 0 && a.id > b.id);
}
