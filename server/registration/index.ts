import { lt } from 'drizzle-orm';
import { idempotencyKeys } from '#db/schema/index.ts';
import type { Expired, Repeated } from '#server/common/rooms.ts';
import type { ServiceContext } from '#server/context.ts';
import type { IdentityService } from '#server/identity/index.ts';
import type { Cancel, Start } from '@mesh-registry/protocol/rest/register.schema.ts';
import { activePeriods, ReviewIndex } from './review-index.ts';
import type { RegistryService } from '#server/registry/index.ts';
import { claim, registrationsProvedBy } from './claim.ts';
import { confirm, submitConfirmation, type Confirmation, type ConfirmOptions } from './confirm.ts';
import { endExpiredReservations } from './state-machine.ts';
import { IDEMPOTENCY_MS, startedWith } from './idempotency.ts';
import { ClientRegistrations } from './open-registrations.ts';
import { ReviewTimes } from './queue-estimate.ts';
import { cancel, correctDetails, type Details } from './own-changes.ts';
import { getRegistration, readRegistration } from './record.ts';
import { displayLabel, start, type StartOptions } from './start.ts';
import { follow } from './status.ts';
import { Timelines } from './timeline.ts';

export type { ReviewIndex } from './review-index.ts';
export { CANCELLED_REASON } from './own-changes.ts';
export {
  changeRegistration,
  EXPIRED_REASON,
  type Change,
  type InTransaction,
} from './state-machine.ts';
export type { FollowedRegistration } from './status.ts';
export { nodeProofOf, type NodeProof } from './notices.ts';
export type { TimelineEvent } from './timeline.ts';

/** How often expired reservations are ended, milliseconds. */
const END_EXPIRED_MS = 30_000;

export interface RegistrationSources {
  identity: IdentityService;
  registry: Pick<RegistryService, 'name'>;
}

/** The operator's side of a registration: start it, confirm the payment, follow it. */
export function createRegistration(
  context: ServiceContext,
  { identity, registry }: RegistrationSources,
) {
  const reviewIndex = new ReviewIndex(context.live);
  const own = { ...context, reviewIndex, identity };
  const opening = {
    ...own,
    clientRegistrations: new ClientRegistrations(context.live, context.config),
  };
  const following = {
    ...own,
    registry,
    reviewTimes: new ReviewTimes(context.live, reviewIndex),
    timelines: new Timelines(context.db),
  };
  const endExpired = () => endExpiredReservations(context);
  const repeats: Repeated[] = [
    { ms: END_EXPIRED_MS, failure: 'could not end expired reservations', work: endExpired },
  ];
  const expired: Expired[] = [
    [idempotencyKeys, (now) => lt(idempotencyKeys.createdAt, new Date(now - IDEMPOTENCY_MS))],
  ];
  return {
    repeats,
    expired,
    /** The registrations in memory, for rooms above. */
    reviewIndex,
    start: (input: Start, options: Omit<StartOptions, 'now'> = {}) =>
      start(opening, input, options),
    startedWith: (idempotencyKey: string, input: Start) =>
      startedWith(context, idempotencyKey, input),
    confirm: (input: Confirmation, options: Omit<ConfirmOptions, 'now'> = {}) =>
      confirm(opening, input, options),
    submitConfirmation: (
      input: Confirmation,
      onlyCorrect: boolean,
      options: Omit<ConfirmOptions, 'now'> = {},
    ) => submitConfirmation(opening, input, onlyCorrect, options),
    /** @param network the origin of this service, as its users know it */
    cancel: (input: Omit<Cancel, 'action'>, network = '') => cancel(own, input, network),
    /** @param claimed.key the key that has signed the request */
    claim: (claimed: { nodeId: string; id: string; key: string }) => claim(own, claimed),
    provedBy: (node: { nodeId: string; key: string }) => registrationsProvedBy(own, node),
    correctDetails: (id: string, details: Details) => correctDetails(own, id, details),
    get: (id: string) => getRegistration(own, id),
    /** For other services. @throws AppError `not_found`, `unavailable` */
    row: (id: string) => readRegistration(context, id, context.clock()),
    follow: (id: string, lookup?: () => Promise<void>) => follow(following, id, lookup),
    displayLabel,
    /** The latest times in which a name was or is active, newest first. @param name normalised */
    activePeriods: (name: string) => activePeriods(reviewIndex, name),
    /** Also runs by itself. */
    endExpired,
  };
}
