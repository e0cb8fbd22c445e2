import { and, asc, eq, lte } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Db } from '#db/client.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { registrationHistory, type RegistrationRow } from '#db/schema/index.ts';
import type { RegistrationEvent } from '#server/audit/history.schema.ts';
import {
  ANSWERED_REASON,
  ASKED_REASON,
  never,
  OPERATOR,
  PROVED_REASON,
  SYSTEM,
} from '@mesh-registry/protocol/values.schema.ts';

/** Something that happened to a registration, as its operator sees it: without the reviewer's name. */
export interface TimelineEvent {
  at: string;
  /** `late`: the operator confirmed the payment after the reservation had expired. */
  event: Exclude<RegistrationEvent, 'undone'> | 'late';
  by: 'operator' | 'reviewer' | 'system';
}

type Version = Pick<RegistrationRow, 'id' | 'rev'>;
type HistoryRow = typeof registrationHistory.$inferSelect;

/** Timelines that stay in memory. */
const CACHED_MAX = 2000;

/**
 * What happened to each registration, from the history. The history is append-only and written together with the
 * row, so the timeline of one version of the row never changes and can be cached.
 */
export class Timelines {
  /** By the registration's id. */
  readonly #cached = new LRUCache<string, { rev: number; events: TimelineEvent[] }>({
    max: CACHED_MAX,
  });

  constructor(private readonly db: Db) {}

  /** The timeline of this version without a query; null if it is not cached. */
  cached({ id, rev }: Version): TimelineEvent[] | null {
    const cached = this.#cached.get(id);
    return cached?.rev === rev ? cached.events : null;
  }

  /** The timeline up to this version, oldest first. @throws AppError `unavailable` */
  async of(version: Version): Promise<TimelineEvent[]> {
    const cached = this.cached(version);
    if (cached) return cached;
    const events = withoutUndone(await this.#read(version)).map(present);
    this.#cached.set(version.id, { rev: version.rev, events });
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

/** A decision that a reviewer undid never happened for the operator. */
function withoutUndone(rows: HistoryRow[]): HistoryRow[] {
  const kept: HistoryRow[] = [];
  for (const row of rows) {
    const { fromStatus: from, toStatus: to, actor } = row;
    const undoes = from !== to && to !== 'rejected' && (from === 'active' || from === 'rejected');
    if (undoes && actor !== OPERATOR) {
      const undone = kept.findLastIndex(
        ({ fromStatus, toStatus }) => fromStatus === to && toStatus === from,
      );
      if (undone >= 0) kept.splice(undone, 1);
    } else kept.push(row);
  }
  return kept;
}

const present = (row: HistoryRow): TimelineEvent => ({
  at: row.at.toISOString(),
  event: eventOf(row),
  by: row.actor === OPERATOR ? 'operator' : row.actor === SYSTEM ? 'system' : 'reviewer',
});

/** What has happened where the status stays. */
const EVENT_OF_REASON: Partial<Record<string, 'proved' | 'asked' | 'answered'>> = {
  [PROVED_REASON]: 'proved',
  [ASKED_REASON]: 'asked',
  [ANSWERED_REASON]: 'answered',
};

function eventOf({ fromStatus, toStatus, actor, reason }: HistoryRow): TimelineEvent['event'] {
  if (fromStatus === toStatus) return EVENT_OF_REASON[reason ?? ''] ?? 'corrected';
  switch (toStatus) {
    case 'pending_payment':
      return 'started';
    case 'pending_review':
      return fromStatus === 'rejected' ? 'late' : 'confirmed';
    case 'active':
      return 'accepted';
    case 'rejected':
      if (actor === SYSTEM) return 'expired';
      if (actor === OPERATOR) return fromStatus === 'active' ? 'released' : 'cancelled';
      return fromStatus === 'active' ? 'revoked' : 'rejected';
    default:
      return never(toStatus);
  }
}
