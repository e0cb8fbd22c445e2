import type { Compute, ComputesHead } from '#server/computes/computes.schema.ts';
import type { MeshHead, Peer } from '#server/mesh/mesh.schema.ts';
import type { Clock } from '#app/lib/clock.ts';
import type { Connection } from '#app/lib/connection.ts';

/**
 * What an open page knows of a list: of the mesh or of the compute directory. It begins with the part
 * that the server rendered and holds all rows once they are loaded. React components and the map read
 * from here; neither holds a copy.
 */

/** What the event stream sends; `snapshot` holds all rows, `changes` those that changed. */
export interface LiveChange<Head, Row> {
  type: 'snapshot' | 'changes';
  head: Head;
  rows: Row[];
  removed: string[];
}

/** `rows` changed or are new; `all` says that anything may have changed. */
export type Listener<Row> = (change: { all: boolean; rows: readonly Row[] }) => void;

export class LiveStore<Head extends { updatedAt: string }, Row extends { id: string }> {
  #rows = new Map<string, Row>();
  /** In the list's order: a heartbeat changes a row, never its place. */
  #order: string[] = [];
  #sorted = true;
  #complete = false;
  #head: Head;
  #connection: Connection = { state: 'starting' };
  #version = 0;
  readonly #listeners = new Set<Listener<Row>>();

  /** @param since the moment (ISO 8601) by which the list is ordered; rows of one moment are ordered by id */
  constructor(
    head: Head,
    private readonly since: (row: Row) => string,
    readonly clock: Clock,
  ) {
    this.#head = head;
  }

  get head(): Head {
    return this.#head;
  }
  get connection(): Connection {
    return this.#connection;
  }
  /** Whether all rows are here. */
  get complete(): boolean {
    return this.#complete;
  }
  get size(): number {
    return this.#rows.size;
  }
  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }
  /** In no order. */
  rows(): Iterable<Row> {
    return this.#rows.values();
  }

  /** All rows in the order in which the REST interface lists them. */
  ordered(): Row[] {
    if (!this.#sorted) {
      const since = (id: string) => {
        const row = this.#rows.get(id);
        return row ? this.since(row) : '';
      };
      this.#order.sort((a, b) => {
        const [first, second] = [since(a), since(b)];
        return first < second ? -1 : first > second ? 1 : a < b ? -1 : 1;
      });
      this.#sorted = true;
    }
    return this.#order.flatMap((id) => this.#rows.get(id) ?? []);
  }

  apply({ type, head, rows, removed }: LiveChange<Head, Row>): void {
    this.clock.set(Date.parse(head.updatedAt));
    this.#head = head;
    const all = type === 'snapshot';
    if (all) {
      this.#rows = new Map();
      this.#order = [];
      this.#complete = true;
    }
    for (const row of rows) {
      if (!this.#rows.has(row.id)) {
        this.#order.push(row.id);
        this.#sorted = false;
      }
      this.#rows.set(row.id, row);
    }
    for (const id of removed) this.#rows.delete(id);
    if (removed.length > 0) this.#order = this.#order.filter((id) => this.#rows.has(id));
    this.#tell({ all: all || removed.length > 0, rows });
  }

  setConnection(connection: Connection): void {
    if (connection.state === this.#connection.state) return;
    this.#connection = connection;
    this.#tell({ all: false, rows: [] });
  }

  /** For useSyncExternalStore: grows with every change. */
  readonly version = () => this.#version;

  readonly subscribe = (listener: Listener<Row>): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #tell(change: Parameters<Listener<Row>>[0]): void {
    this.#version++;
    for (const listener of this.#listeners) listener(change);
  }
}

export type MeshStore = LiveStore<MeshHead, Peer>;
export type ComputesStore = LiveStore<ComputesHead, Compute>;
