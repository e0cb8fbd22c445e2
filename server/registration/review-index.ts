import { secretIdOf, type RegistrationRow } from '#db/schema/index.ts';
import { SetMap } from '#server/common/set-map.ts';
import type { LiveModel } from '#server/live/index.ts';

/**
 * Indexes of the open and active registrations in memory, kept up to date with the read model: by note, name and node,
 * and in the order of the queue. Those that have ended are in the database only.
 */
export class ReviewIndex {
  /** Registrations whose secret is not their id, by it. */
  readonly #bySecret = new Map<string, string>();
  // A registration's note, name and node never change.
  readonly #byNote = new Map<string, string>();
  readonly #byName = new SetMap<string>();
  readonly #byNode = new SetMap<string>();
  /** Waiting and active registrations by confirmation text. */
  readonly #byConfirmation = new SetMap<string>();
  readonly #waiting = new Set<string>();
  #queue: RegistrationRow[] | undefined;
  #queueVersion = 0;

  constructor(private readonly live: LiveModel) {
    live.registrations.follow({
      changed: (row, before) => {
        if (!before) {
          this.#byNote.set(row.paymentNote, row.id);
          this.#byName.add(row.name, row.id);
          this.#byNode.add(row.nodeId, row.id);
        }
        this.#forgetSecret(before);
        if (row.secretId !== null) this.#bySecret.set(row.secretId, row.id);
        this.#update(row, before);
      },
      removed: (row) => {
        this.#byNote.delete(row.paymentNote);
        this.#byName.delete(row.name, row.id);
        this.#byNode.delete(row.nodeId, row.id);
        this.#forgetSecret(row);
        this.#update(undefined, row);
      },
    });
  }

  /** Grows when a registration enters the queue, leaves it, or changes in it. */
  get queueVersion(): number {
    return this.#queueVersion;
  }

  /** Registrations waiting for review, the earliest confirmation first. */
  queue(): readonly RegistrationRow[] {
    return (this.#queue ??= this.#rows(this.#waiting).sort(
      (a, b) => confirmedAt(a) - confirmedAt(b) || (a.id < b.id ? -1 : 1),
    ));
  }

  byNote(note: string): RegistrationRow | undefined {
    const id = this.#byNote.get(note);
    return id === undefined ? undefined : this.live.registrations.get(id);
  }

  /** The registration that its operator knows by this id. */
  bySecret(secret: string): RegistrationRow | undefined {
    const row = this.live.registrations.get(this.#bySecret.get(secret) ?? secret);
    return row && secretIdOf(row) === secret ? row : undefined;
  }

  /** Those of the name, newest change first. */
  ofName(name: string): RegistrationRow[] {
    return this.#rows(this.#byName.get(name)).sort(changedLater);
  }

  /** Those for the node, newest change first. */
  ofNode(nodeId: string): RegistrationRow[] {
    return this.#rows(this.#byNode.get(nodeId)).sort(changedLater);
  }

  /** Whether another waiting or active registration has the same confirmation text. */
  sharesConfirmation(row: RegistrationRow): boolean {
    const ids = this.#byConfirmation.get(confirmationKey(row) ?? '');
    return ids.size > (ids.has(row.id) ? 1 : 0);
  }

  /** Every waiting or active registration with the same confirmation text, newest change first. */
  ofConfirmation(row: RegistrationRow): RegistrationRow[] {
    return this.#rows(this.#byConfirmation.get(confirmationKey(row) ?? '')).sort(changedLater);
  }

  #forgetSecret(row: RegistrationRow | undefined): void {
    if (row && row.secretId !== null) this.#bySecret.delete(row.secretId);
  }

  /** @param row undefined if it has been removed */
  #update(row: RegistrationRow | undefined, before: RegistrationRow | undefined): void {
    const [key, old] = [row && confirmationKey(row), before && confirmationKey(before)];
    if (before && old && key !== old) this.#byConfirmation.delete(old, before.id);
    if (row && key && key !== old) this.#byConfirmation.add(key, row.id);
    if (row?.status !== 'pending_review' && before?.status !== 'pending_review') return;
    if (row?.status === 'pending_review') this.#waiting.add(row.id);
    else if (before) this.#waiting.delete(before.id);
    this.#queue = undefined;
    this.#queueVersion++;
  }

  #rows(ids: Iterable<string>): RegistrationRow[] {
    return [...ids].flatMap((id) => this.live.registrations.get(id) ?? []);
  }
}

/** Letters and digits of the confirmation text; null if there are none, or the registration no longer counts. */
const confirmationKey = ({ status, cashConfirm }: RegistrationRow): string | null =>
  (status === 'pending_review' || status === 'active') && cashConfirm !== null
    ? cashConfirm.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '') || null
    : null;

const confirmedAt = (row: RegistrationRow): number => (row.confirmedAt ?? row.createdAt).getTime();

const changedLater = (a: RegistrationRow, b: RegistrationRow): number =>
  b.updatedAt.getTime() - a.updatedAt.getTime() || (a.id < b.id ? -1 : 1);
