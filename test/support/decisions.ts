import * as review from '#server/review/index.ts';
import type { Services } from '#server/services.ts';

/** Decisions with immediate effect. Reviewers decide with `services.review.decide`, which can be undone. */

type Decision = Parameters<typeof review.accept>[1];
type Rejection = Parameters<typeof review.reject>[1];

export const accept = ({ context }: Services, decision: Decision) =>
  review.accept(context, decision);
export const reject = ({ context }: Services, rejection: Rejection) =>
  review.reject(context, rejection);
export const revoke = ({ context }: Services, rejection: Rejection) =>
  review.revoke(context, rejection);

/** Every change of state of one registration, oldest first. */
export const statusChanges = ({ context }: Services, id: string) =>
  review.statusChanges(context, id);

/** Carries out due decisions, as each server does by itself. */
export const sweepDecisions = ({ context }: Services) => review.sweepDecisions(context);
