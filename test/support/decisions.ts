import * as review from '#server/review/index.ts';
import type { Services } from '#server/services.ts';

/**
 * Decisions on a registration by its id, which its operator has, despite any notice and without a payment. Reviewers
 * know it by its payment note.
 */

interface Decision {
  id: string;
  reviewer: string;
}

/** Why a registration is accepted in tests that import no payments. */
export const PAID_OTHERWISE = 'Paid in cash.';

const decide =
  (decision: 'accept' | 'reject' | 'revoke') =>
  async ({ registration, review }: Services, { id, ...given }: Decision & { reason?: string }) => {
    const { paymentNote: note } = await registration.get(id);
    return review.decide({
      reason: decision === 'accept' ? PAID_OTHERWISE : undefined,
      ...{ ...given, note, decision, despiteNotices: true },
    });
  };

export const accept: (services: Services, decision: Decision) => Promise<review.RecentDecision> =
  decide('accept');
export const reject = decide('reject');
export const revoke = decide('revoke');

/** Every change of state of one registration, oldest first. */
export const statusChanges = ({ context }: Services, id: string) =>
  review.statusChanges(context, id);

/** Carries out decisions of servers of the release before, as each server does by itself. */
export const carryOutLeftover = ({ services }: { services: Services }) =>
  services.review.carryOutLeftover();
