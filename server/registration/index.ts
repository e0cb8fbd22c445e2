import type { ServiceContext } from '#server/common/context.ts';
import type { Start } from './register.schema.ts';
import type { ReviewIndex } from '#server/review/index.ts';
import { confirm, submitConfirmation, type Confirmation } from './confirm.ts';
import { endExpiredReservations } from './expiry.ts';
import { startedWith } from './idempotency.ts';
import { ClientRegistrations } from './open-registrations.ts';
import { ReviewTimes } from './queue-estimate.ts';
import { cancel, correctDetails, type Details } from './own-changes.ts';
import { activePeriods } from './periods.ts';
import { getRegistration, readRegistration } from './record.ts';
import { displayLabel, start, type StartOptions } from './start.ts';
import { follow } from './status.ts';
import { Timelines } from './timeline.ts';

export { IDEMPOTENCY_MS } from './idempotency.ts';
export { CANCELLED_REASON } from './own-changes.ts';
export {
  changeRegistration,
  EXPIRED_REASON,
  type Change,
  type InTransaction,
} from './state-machine.ts';
export type { FollowedRegistration } from './status.ts';
export type { TimelineEvent } from './timeline.ts';

/** The operator's side of a registration: start it, confirm the payment, follow it. */
export function createRegistration(
  context: ServiceContext,
  { reviewIndex }: { reviewIndex: ReviewIndex },
) {
  const opening = {
    ...context,
    clientRegistrations: new ClientRegistrations(context.live, context.config),
  };
  const following = {
    ...context,
    reviewIndex,
    reviewTimes: new ReviewTimes(context.live, reviewIndex),
    timelines: new Timelines(context.db),
  };
  return {
    start: (input: Start, options: Omit<StartOptions, 'now'> = {}) =>
      start(opening, input, options),
    startedWith: (idempotencyKey: string, input: Start) =>
      startedWith(context, idempotencyKey, input),
    confirm: (input: Confirmation, client?: string) => confirm(opening, input, { client }),
    submitConfirmation: (input: Confirmation, onlyCorrect: boolean, client?: string) =>
      submitConfirmation(opening, input, onlyCorrect, { client }),
    cancel: (id: string) => cancel(context, id),
    correctDetails: (id: string, details: Details) => correctDetails(context, id, details),
    get: (id: string) => getRegistration(context, id),
    /** For other services. @throws AppError `not_found`, `unavailable` */
    row: (id: string) => readRegistration(context, id, context.clock()),
    follow: (id: string, lookup?: () => Promise<void>) => follow(following, id, lookup),
    displayLabel,
    /** The latest times in which a name was or is active, newest first. @param name normalised */
    activePeriods: (name: string) => activePeriods(reviewIndex, name),
    /** Also runs by itself. */
    endExpired: () => endExpiredReservations(context),
  };
}
