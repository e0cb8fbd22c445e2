import { isExpired, type RegistrationRow } from '#db/schema/index.ts';
import { SetMap } from '#server/common/set-map.ts';
import type { LiveModel } from '#server/live/index.ts';

/** The names in the read model: who holds each, and the active ones by name and by node. */
export class NameIndex {
  /**
   * Active registrations of each name, the current holder last. There is more than one only briefly, when
   * this server activates a name before it has read that the previous holder lost it on another server.
   */
  readonly #active = new Map<string, RegistrationRow[]>();
  readonly #byNode = new SetMap<string>();
  /** Registrations of each name, by id: the holder, and briefly the one before. */
  readonly #holders = new Map<string, Map<string, RegistrationRow>>();
  readonly #listeners: ((name: string) => void)[] = [];
  #pending = 0;

  constructor(private readonly live: LiveModel) {
    live.registrations.follow({
      changed: (row, before) => {
        this.#pending += countPending(row) - countPending(before);
        if (before) this.#removeHolder(before);
        this.#addHolder(row);
        if (row.status === 'active') this.#update(row, row);
        else if (before?.status === 'active') this.#update(row, undefined);
      },
      removed: (row) => {
        this.#pending -= countPending(row);
        this.#removeHolder(row);
        if (row.status === 'active') this.#update(row, undefined);
      },
    });
  }

  get version(): number {
    return this.live.registrations.version;
  }

  /** The number of registrations that wait for payment or review. */
  get pending(): number {
    return this.#pending;
  }

  /** Whether a registration holds the name at `now` (ms). */
  isTaken(name: string, now: number): boolean {
    for (const holder of this.#holders.get(name)?.values() ?? [])
      if (!isExpired(holder, now)) return true;
    return false;
  }

  /** The number of active names. */
  get size(): number {
    return this.#active.size;
  }

  active(name: string): RegistrationRow | undefined {
    return this.#active.get(name)?.at(-1);
  }

  /** Active names registered for a node. */
  ofNode(nodeId: string): ReadonlySet<string> {
    return this.#byNode.get(nodeId);
  }

  *all(): IterableIterator<RegistrationRow> {
    for (const rows of this.#active.values()) yield rows.at(-1) as RegistrationRow;
  }

  /** Calls `listener` with each name that becomes active, stops being active, or changes while active. */
  onChange(listener: (name: string) => void): void {
    this.#listeners.push(listener);
  }

  #addHolder(row: RegistrationRow): void {
    const holders = this.#holders.get(row.name);
    if (holders) holders.set(row.id, row);
    else this.#holders.set(row.name, new Map([[row.id, row]]));
  }

  #removeHolder({ id, name }: RegistrationRow): void {
    const holders = this.#holders.get(name);
    holders?.delete(id);
    if (holders?.size === 0) this.#holders.delete(name);
  }

  /** @param active the registration, if it is active now */
  #update({ id, name }: RegistrationRow, active: RegistrationRow | undefined): void {
    const before = this.active(name);
    const rows = (this.#active.get(name) ?? []).filter((row) => row.id !== id);
    if (active) rows.push(active);
    rows.sort((a, b) => activeSince(a) - activeSince(b));
    if (rows.length > 0) this.#active.set(name, rows);
    else this.#active.delete(name);
    if (before) this.#byNode.delete(before.nodeId, name);
    const holder = rows.at(-1);
    if (holder) this.#byNode.add(holder.nodeId, name);
    for (const listener of this.#listeners) listener(name);
  }
}

const activeSince = (row: RegistrationRow): number => row.activatedAt?.getTime() ?? 0;

const countPending = (row: RegistrationRow | undefined): number =>
  row?.status === 'pending_payment' || row?.status === 'pending_review' ? 1 : 0;
