import type { LiveModel, RegistrationRow } from '../live/model.ts';

/** Active names, as the read model knows them, found by name and by node. */
export class NameIndex {
  readonly #active = new Map<string, RegistrationRow>();
  readonly #byNode = new Map<string, Set<string>>();
  readonly #listeners: ((name: string) => void)[] = [];
  #pending = 0;

  constructor(private readonly live: LiveModel) {
    live.registrations.follow((row, before) => {
      this.#pending += pending(row) - pending(before);
      if (before?.status === 'active') this.#remove(before);
      if (row.status === 'active') this.#add(row);
      if (row.status === 'active' || before?.status === 'active')
        for (const listener of this.#listeners) listener(row.name);
    });
  }

  get version(): number {
    return this.live.registrations.version;
  }

  /** Registrations that wait for payment or review. */
  get pending(): number {
    return this.#pending;
  }

  active(name: string): RegistrationRow | undefined {
    return this.#active.get(name);
  }

  /** Active names whose registration names this node. */
  ofNode(nodeId: string): ReadonlySet<string> {
    return this.#byNode.get(nodeId) ?? NONE;
  }

  all(): IterableIterator<RegistrationRow> {
    return this.#active.values();
  }

  /** Calls `listener` with each name that becomes active, stops being active, or changes while active. */
  onChange(listener: (name: string) => void): void {
    this.#listeners.push(listener);
  }

  #add(row: RegistrationRow): void {
    const earlier = this.#active.get(row.name);
    if (earlier) this.#remove(earlier);
    this.#active.set(row.name, row);
    const names = this.#byNode.get(row.nodeId);
    if (names) names.add(row.name);
    else this.#byNode.set(row.nodeId, new Set([row.name]));
  }

  /** Rows of two registrations of one name may come in any order: only the holder itself gives the name up. */
  #remove(row: RegistrationRow): void {
    if (this.#active.get(row.name)?.id !== row.id) return;
    this.#active.delete(row.name);
    this.#byNode.get(row.nodeId)?.delete(row.name);
  }
}

const NONE: ReadonlySet<string> = new Set();

const pending = (row: RegistrationRow | undefined): number =>
  row?.status === 'pending_payment' || row?.status === 'pending_review' ? 1 : 0;
