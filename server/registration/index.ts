import { lt } from 'drizzle-orm';
import type {
  AnswerQuestion,
  Cancel,
  Start,
} from '@mesh-registry/protocol/rest/register.schema.ts';
import { idempotencyKeys } from '#db/schema/index.ts';
import type { Expired, Repeated } from '#server/common/rooms.ts';
import type { ServiceContext } from '#server/context.ts';
import { confirm, submitConfirmation, type Confirmation, type ConfirmOptions } from './confirm.ts';
import { ClientRegistrations, NewRegistrations } from './open-registrations.ts';
import {
  cancel,
  claimByKey,
  correctDetails,
  registrationsOfKey,
  type Details,
} from './own-changes.ts';
import { answerQuestion } from './answer-question.ts';
import { Questions } from './questions.ts';
import { ReviewTimes } from './queue-estimate.ts';
import { getRegistration, readRegistration, type RegistrationContext } from './record.ts';
import { activePeriods } from './active-periods.ts';
import { FormerNames } from './former-names.ts';
import { ReviewIndex } from './review-index.ts';
import { IDEMPOTENCY_MS, labelOrName, start, startedWith, type StartOptions } from './start.ts';
import { endExpiredReservations } from './state-machine.ts';
import { registrationStatus } from './status.ts';
import { Timelines } from './timeline.ts';
import { removeUnclaimed } from './unclaimed.ts';

export type { ReviewIndex } from './review-index.ts';
export { CANCELLED_REASON } from './own-changes.ts';
export {
  changeRegistration,
  EXPIRED_REASON,
  type Change,
  type InTransaction,
} from './state-machine.ts';
export type { FollowedRegistration } from './status.ts';
export { nodeProofOf, noticesThatAsk } from './notices.ts';
export { readQuestions, type Asked } from './questions.ts';
export type { TimelineEvent } from './timeline.ts';

/** How often expired reservations are ended, milliseconds. */
const END_EXPIRED_MS = 30_000;

/** The operator's side of a registration: start it, confirm the payment, follow it. */
export function createRegistration(
  infrastructure: ServiceContext,
  { identity, registry }: Pick<RegistrationContext, 'identity' | 'registry'>,
) {
  const { live, config, db } = infrastructure;
  const reviewIndex = new ReviewIndex(live);
  const former = new FormerNames(infrastructure);
  const context: RegistrationContext = {
    ...infrastructure,
    identity,
    registry,
    reviewIndex,
    clientRegistrations: new ClientRegistrations(live, config),
    newRegistrations: new NewRegistrations(config),
    reviewTimes: new ReviewTimes(db, live, reviewIndex),
    timelines: new Timelines(db),
    questions: new Questions(db),
  };
  const endExpired = () => endExpiredReservations(context);
  const repeats: Repeated[] = [
    { ms: END_EXPIRED_MS, failure: 'could not end expired reservations', work: endExpired },
  ];
  return {
    repeats,
    expired: [
      [idempotencyKeys, (now) => lt(idempotencyKeys.createdAt, new Date(now - IDEMPOTENCY_MS))],
      (_, now) => removeUnclaimed(context, now),
    ] satisfies Expired[],
    /** The open and active registrations in memory, for rooms above. */
    reviewIndex,
    start: (input: Start, options: StartOptions = {}) => start(context, input, options),
    startedWith: (idempotencyKey: string, input: Start) =>
      startedWith(context, idempotencyKey, input),
    confirm: (input: Confirmation, options: ConfirmOptions = {}) =>
      confirm(context, input, options),
    submitConfirmation: (input: Confirmation, onlyCorrect: boolean, options: ConfirmOptions = {}) =>
      submitConfirmation(context, input, onlyCorrect, options),
    /** @param network the origin of this service, as its users know it */
    cancel: (input: Omit<Cancel, 'action'>, network: string | null = null) =>
      cancel(context, input, network),
    answer: (input: Omit<AnswerQuestion, 'action'>) => answerQuestion(context, input),
    /** @param claimed.key the key that has signed the request */
    claimByKey: (claimed: { nodeId: string; id: string; key: string }) =>
      claimByKey(context, claimed),
    registrationsOfKey: (node: { nodeId: string; key: string }) =>
      registrationsOfKey(context, node),
    correctDetails: (id: string, details: Details) => correctDetails(context, id, details),
    get: (id: string) => getRegistration(context, id),
    /** For other services. @throws AppError `not_found`, `unavailable` */
    row: (id: string) => readRegistration(context, id, context.clock()),
    status: (id: string, lookup?: () => void) => registrationStatus(context, id, lookup),
    labelOrName,
    /** How long a review usually takes, ms; null: unknown. */
    usualReviewMs: () => context.reviewTimes.usualMs(infrastructure.clock()),
    /** Whether a name may have been active before. @param name normalised */
    mayBeFormer: (name: string) => former.has(name),
    load: () => former.load(),
    /** @throws as {@link activePeriods} */
    activePeriods: (name: string) => activePeriods(db, name),
    /** Also runs by itself. */
    endExpired,
  };
}
