import { and, asc, eq, lte } from 'drizzle-orm';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { registrationHistory, type RegistrationRow } from '#db/schema.ts';
import type { RegistrationEvent } from '#server/review/history.schema.ts';
import { OPERATOR, SYSTEM } from '#server/common/values.schema.ts';

/** One thing that happened to a registration, as its operator is told it: never which reviewer it was. */
export interface TimelineEvent {
  at: string;
  /** `late`: the operator confirmed the payment after the hold had ended. */
  event: RegistrationEvent | 'late';
  by: 'operator' | 'reviewer' | 'system';
}

type Version = Pick<RegistrationRow, 'id' | 'rev'>;
type HistoryRow = typeof registrationHistory.$inferSelect;

/** Timelines that are kept; the one that was not asked for longest is forgotten first. */
const KEPT = 2000;

/**
 * What happened to each registration, from the history. The history is append-only and written together
 * with the row, so what it says of a version of the row is read once for as long as that version lasts.
 */
export class Timelines {
  /** By the registration's id. */
  readonly #kept = new Map<string, { rev: number; events: TimelineEvent[] }>();

  constructor(private readonly db: Db) {}

  /** Of this version of the registration, without asking the database; null where it has not been read. */
  known({ id, rev }: Version): TimelineEvent[] | null {
    const kept = this.#kept.get(id);
    return kept?.rev === rev ? kept.events : null;
  }

  /** Up to this version of the registration, the oldest first. @throws AppError `unavailable` */
  async of(version: Version): Promise<TimelineEvent[]> {
    const { id, rev } = version;
    const events = this.known(version) ?? (await this.#read(version)).map(present);
    this.#kept.delete(id);
    this.#kept.set(id, { rev, events });
    if (this.#kept.size > KEPT)
      for (const oldest of this.#kept.keys()) {
        this.#kept.delete(oldest);
        break;
      }
    return events;
  }

  #read({ id, rev }: Version): Promise<HistoryRow[]> {
    const { registrationId, rev: changedTo } = registrationHistory;
    return withRetry(() =>
      this.db
        .select()
        .from(registrationHistory)
        .where(and(eq(registrationId, id), lte(changedTo, rev)))
        .orderBy(asc(changedTo)),
    );
  }
}

const present = (row: HistoryRow): TimelineEvent => ({
  at: row.at.toISOString(),
  event: eventOf(row),
  by: row.actor === OPERATOR ? 'operator' : row.actor === SYSTEM ? 'system' : 'reviewer',
});

function eventOf({ fromStatus, toStatus, actor }: HistoryRow): TimelineEvent['event'] {
  switch (toStatus) {
    case 'pending_payment':
      return 'started';
    case 'pending_review':
      return fromStatus === 'rejected' ? 'late' : 'confirmed';
    case 'active':
      return 'accepted';
    case 'rejected':
      if (actor === SYSTEM) return 'expired';
      return fromStatus === 'active' ? 'revoked' : 'rejected';
  }
}
