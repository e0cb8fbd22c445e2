import { reviewDecisions } from '#db/schema/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { presentDecision, type DecisionRow, type PendingDecision } from './decisions.ts';
import { currentPresence, type PresenceRow } from './presence.ts';

/** What the reviewers are doing now, on every server; by registration id. */
export interface QueueState {
  presence: Map<string, PresenceRow>;
  decisions: Map<string, DecisionRow>;
}

/** @throws AppError `unavailable` */
export async function readQueueState(s: ServiceContext, now: number): Promise<QueueState> {
  const [presence, decisions] = await withRetry(() =>
    Promise.all([currentPresence(s, now), s.db.select().from(reviewDecisions)]),
  );
  return {
    presence: new Map(presence.map((row) => [row.registrationId, row])),
    decisions: new Map(decisions.map((row) => [row.registrationId, row])),
  };
}

/** The reviewer's decisions that can still be undone, newest first. */
export const ownDecisions = (
  { live }: ServiceContext,
  { decisions }: QueueState,
  reviewer: string,
): PendingDecision[] =>
  [...decisions.values()]
    .filter((decision) => decision.reviewer === reviewer)
    .sort((a, b) => b.madeAt.getTime() - a.madeAt.getTime())
    .flatMap((decision) => {
      const row = live.registrations.get(decision.registrationId);
      return row ? [presentDecision(decision, row)] : [];
    });
