import type { ServiceContext } from '#server/context.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { recentDecisions, type RecentDecision } from './decisions.ts';
import { readPresence, type PresenceRow } from './presence.ts';

/** What the reviewers are doing now, on every server. */
export interface QueueState {
  /** What they have open, by registration id. */
  presence: Map<string, PresenceRow>;
  /** What they had open until a moment ago. */
  left: PresenceRow[];
  /** Those that can still be undone, newest first. */
  decisions: RecentDecision[];
}

/** @throws AppError `unavailable` */
export async function readQueueState(context: ServiceContext, now: number): Promise<QueueState> {
  const [presence, decisions] = await withRetry(() =>
    Promise.all([readPresence(context, now), recentDecisions(context, now)]),
  );
  return {
    presence: new Map(presence.open.map((row) => [row.registrationId, row])),
    left: presence.left,
    decisions,
  };
}

/** The reviewer's decisions that can still be undone, newest first. */
export const ownDecisions = ({ decisions }: QueueState, reviewer: string): RecentDecision[] =>
  decisions.filter(({ by }) => by === reviewer);
