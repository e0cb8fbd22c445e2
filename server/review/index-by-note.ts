import type { RegistrationRow } from '#db/schema.ts';
import type { LiveModel } from '#server/live/index.ts';

/**
 * Registrations as reviewers look for them, kept level with the read model: by note, name and node, in the order
 * of the queue and of their changes. Only a free text is held against each of them, in the order that is here.
 */
export class ReviewIndex {
  // A registration's note, name and node never change.
  readonly #byNote = new Map<string, string>();
  readonly #byName = new Map<string, string[]>();
  readonly #byNode = new Map<string, string[]>();
  readonly #waiting = new Set<string>();
  #queue: RegistrationRow[] | undefined;
  #newest: RegistrationRow[] | undefined;
  #queueVersion = 0;

  constructor(private readonly live: LiveModel) {
    live.registrations.follow((row, before) => {
      if (!before) {
        this.#byNote.set(row.paymentNote, row.id);
        add(this.#byName, row.name, row.id);
        add(this.#byNode, row.nodeId, row.id);
      }
      this.#newest = undefined;
      if (row.status !== 'pending_review' && before?.status !== 'pending_review') return;
      if (row.status === 'pending_review') this.#waiting.add(row.id);
      else this.#waiting.delete(row.id);
      this.#queue = undefined;
      this.#queueVersion++;
    });
  }

  /** Grows when a registration comes into the queue, leaves it, or changes in it. */
  get queueVersion(): number {
    return this.#queueVersion;
  }

  /** What waits for review, the oldest claim first. */
  queue(): readonly RegistrationRow[] {
    return (this.#queue ??= this.#rows(this.#waiting).sort(
      (a, b) => claimedAt(a) - claimedAt(b) || (a.id < b.id ? -1 : 1),
    ));
  }

  /** All registrations, the newest change first. */
  newest(): readonly RegistrationRow[] {
    return (this.#newest ??= [...this.live.registrations.rows()].sort(changedLater));
  }

  byNote(note: string): RegistrationRow | undefined {
    const id = this.#byNote.get(note);
    return id === undefined ? undefined : this.live.registrations.get(id);
  }

  /** Every registration of the name, the newest change first. */
  ofName(name: string): RegistrationRow[] {
    return this.#rows(this.#byName.get(name) ?? []).sort(changedLater);
  }

  /** Every registration that names the node, the newest change first. */
  ofNode(nodeId: string): RegistrationRow[] {
    return this.#rows(this.#byNode.get(nodeId) ?? []).sort(changedLater);
  }

  #rows(ids: Iterable<string>): RegistrationRow[] {
    return [...ids].flatMap((id) => this.live.registrations.get(id) ?? []);
  }
}

function add(index: Map<string, string[]>, key: string, id: string): void {
  const ids = index.get(key);
  if (ids) ids.push(id);
  else index.set(key, [id]);
}

const claimedAt = (row: RegistrationRow): number => (row.confirmedAt ?? row.createdAt).getTime();

const changedLater = (a: RegistrationRow, b: RegistrationRow): number =>
  b.updatedAt.getTime() - a.updatedAt.getTime() || (a.id < b.id ? -1 : 1);
