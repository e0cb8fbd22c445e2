import type { Mesh, MeshHead, Peer } from '../server/schemas/mesh.ts';
import { setServerMoment } from './clock.ts';

/**
 * What an open page knows of the mesh. It begins with the part that the server rendered and holds all
 * peers once they are loaded. React components and the map read from here; neither holds a copy.
 */

export type Connection =
  /** As the server made the page; nothing is known of the stream yet. */
  | { state: 'starting' }
  /** Changes arrive as they happen. */
  | { state: 'live' }
  /** The stream cannot be had; everything is asked for again every few seconds. */
  | { state: 'polling' }
  /** Cut off: what is shown was right at `asOf` (ms, by the server's clock). */
  | { state: 'stale'; asOf: number };

/** What the event stream sends; `snapshot` holds all peers, `changes` those that changed. */
export interface MeshChange {
  type: 'snapshot' | 'changes';
  head: MeshHead;
  rows: Peer[];
  removed: string[];
}

/** `rows` changed or are new; `all` says that anything may have changed. */
export type Listener = (change: { all: boolean; rows: readonly Peer[] }) => void;

export class MeshStore {
  #peers = new Map<string, Peer>();
  /** In order of joining: a heartbeat changes a peer, never its place. */
  #order: string[] = [];
  #sorted = true;
  #complete = false;
  #head: MeshHead;
  #connection: Connection = { state: 'starting' };
  #version = 0;
  readonly #listeners = new Set<Listener>();

  constructor(head: MeshHead) {
    this.#head = head;
  }

  get head(): MeshHead {
    return this.#head;
  }
  get connection(): Connection {
    return this.#connection;
  }
  /** Whether all peers are here. */
  get complete(): boolean {
    return this.#complete;
  }
  get size(): number {
    return this.#peers.size;
  }
  peer(id: string): Peer | undefined {
    return this.#peers.get(id);
  }
  peers(): Iterable<Peer> {
    return this.#peers.values();
  }

  /** A part of the list in order of `joinedAt`, then `id`, as GET /api/mesh has it. */
  page(offset: number, limit: number): Peer[] {
    if (!this.#sorted) {
      const joined = (id: string) => this.#peers.get(id)?.joinedAt ?? '';
      this.#order.sort((a, b) => {
        const [first, second] = [joined(a), joined(b)];
        return first < second ? -1 : first > second ? 1 : a < b ? -1 : 1;
      });
      this.#sorted = true;
    }
    return this.#order.slice(offset, offset + limit).flatMap((id) => this.#peers.get(id) ?? []);
  }

  /** Takes over a whole answer of GET /api/mesh. */
  load({ peers, recentPings: _, ...head }: Mesh): void {
    this.apply({ type: 'snapshot', head, rows: peers, removed: [] });
  }

  apply({ type, head, rows, removed }: MeshChange): void {
    setServerMoment(Date.parse(head.updatedAt));
    this.#head = head;
    const all = type === 'snapshot';
    if (all) {
      this.#peers = new Map();
      this.#order = [];
      this.#complete = true;
    }
    for (const peer of rows) {
      if (!this.#peers.has(peer.id)) {
        this.#order.push(peer.id);
        this.#sorted = false;
      }
      this.#peers.set(peer.id, peer);
    }
    for (const id of removed) this.#peers.delete(id);
    if (removed.length > 0) this.#order = this.#order.filter((id) => this.#peers.has(id));
    this.#tell({ all: all || removed.length > 0, rows });
  }

  setConnection(connection: Connection): void {
    if (connection.state === this.#connection.state) return;
    this.#connection = connection;
    this.#tell({ all: false, rows: [] });
  }

  /** For useSyncExternalStore: grows with every change. */
  readonly version = () => this.#version;

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #tell(change: Parameters<Listener>[0]): void {
    this.#version++;
    for (const listener of this.#listeners) listener(change);
  }
}
