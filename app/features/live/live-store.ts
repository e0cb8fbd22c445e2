import type { Compute, ComputesHead } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { Place, PulseTuple } from '#server/mesh/places.schema.ts';
import type { Clock } from '#app/lib/clock.ts';
import type { Connection } from '#app/lib/polling.ts';

/** What the event stream sends: a `snapshot` has all rows, `changes` have those that changed. */
export interface LiveChange<Head, Row> {
  type: 'snapshot' | 'changes';
  head: Head;
  rows: Row[];
  removed: string[];
  /** Of the map: some of the nodes that were heard from. */
  pulses?: readonly PulseTuple[];
  /** Of the map: how many nodes were heard from in the last second; null: in a longer time. */
  beats?: number | null;
}

/** What has changed in a store. */
export interface StoreChange<Row> {
  /** Anything may have changed. */
  all: boolean;
  /** New or changed. */
  rows: readonly Row[];
  pulses: readonly PulseTuple[];
  /** Left out where no node was heard from. */
  beats?: number | null;
}

export type Listener<Row> = (change: StoreChange<Row>) => void;

const NO_CHANGE = { all: false, rows: [], pulses: [] };

/** The state of a store at one moment, for React. Every change replaces it; nothing modifies it. */
export interface LiveSnapshot<Head, Row> {
  readonly head: Head;
  readonly connection: Connection;
  /** All rows in the order of the REST interface; null until they are loaded. */
  readonly rows: readonly Row[] | null;
}

/**
 * The live list of an open page: the mesh or the compute directory. It starts with the head that the server
 * rendered and has all rows once they are loaded. React components and the map both read from it.
 */
export class LiveStore<Head extends { updatedAt: string }, Row extends { id: string }> {
  /** By id, in the list's order once it is sorted. A change of a row never moves it. */
  #rows = new Map<string, Row>();
  #sorted = true;
  #complete = false;
  #head: Head;
  #connection: Connection = { state: 'starting' };
  #snapshot: LiveSnapshot<Head, Row> | undefined;
  readonly #listeners = new Set<Listener<Row>>();

  /** @param sortKey the moment (ISO 8601) that orders the list; rows of the same moment are ordered by id. Null: no order */
  constructor(
    head: Head,
    private readonly sortKey: ((row: Row) => string) | null,
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
  row(id: string): Row | undefined {
    return this.#rows.get(id);
  }
  /** All rows that are known, in any order. */
  rows(): Iterable<Row> {
    return this.#rows.values();
  }

  apply({ type, head, rows, removed, pulses = [], beats }: LiveChange<Head, Row>): void {
    this.clock.set(Date.parse(head.updatedAt));
    this.#head = head;
    const all = type === 'snapshot';
    if (all) {
      this.#rows = new Map();
      this.#complete = true;
    }
    for (const row of rows) {
      if (!this.#rows.has(row.id)) this.#sorted = false;
      this.#rows.set(row.id, row);
    }
    for (const id of removed) this.#rows.delete(id);
    this.#notify({
      all: all || removed.length > 0,
      rows,
      pulses,
      ...(beats !== undefined && { beats }),
    });
  }

  setConnection(connection: Connection): void {
    if (connection.state === this.#connection.state) return;
    this.#connection = connection;
    this.#notify(NO_CHANGE);
  }

  /** The same object until the next change, for useSyncExternalStore. */
  readonly snapshot = (): LiveSnapshot<Head, Row> =>
    (this.#snapshot ??= {
      head: this.#head,
      connection: this.#connection,
      rows: this.#complete ? this.#ordered() : null,
    });

  readonly subscribe = (listener: Listener<Row>): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #ordered(): Row[] {
    const rows = [...this.#rows.values()];
    const { sortKey } = this;
    if (!sortKey || this.#sorted) return rows;
    rows.sort((a, b) => {
      const [first, second] = [sortKey(a), sortKey(b)];
      return first < second ? -1 : first > second ? 1 : a.id < b.id ? -1 : 1;
    });
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#sorted = true;
    return rows;
  }

  #notify(change: StoreChange<Row>): void {
    this.#snapshot = undefined;
    for (const listener of this.#listeners) listener(change);
  }
}

/** The network by place. */
export type MeshStore = LiveStore<PlacesHead, Place>;
export type ComputesStore = LiveStore<ComputesHead, Compute>;
