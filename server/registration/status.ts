import { isExpired, type RegistrationRow } from '#db/schema/index.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import { OPERATOR, SYSTEM } from '@mesh-registry/protocol/values.schema.ts';
import { pinOf } from '#server/identity/index.ts';
import type { NameDetails, RegistryService } from '#server/registry/index.ts';
import { cancelNeedsKey } from './own-changes.ts';
import { presentRegistration, readRegistration, type RecordContext } from './record.ts';
import type { ReviewTimes } from './queue-estimate.ts';
import type { TimelineEvent, Timelines } from './timeline.ts';
import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';

/** A registration as its operator follows it: what everybody who has its id may see. */
export interface FollowedRegistration {
  updatedAt: string;
  registration: Registration;
  cashtag: string;
  /** What has happened, oldest first; null if the database is unavailable and the timeline is not cached. */
  timeline: TimelineEvent[] | null;
  /** Whether the operator has confirmed the payment. */
  confirmed: boolean;
  /** Whether it is or was active. */
  activated: boolean;
  /** Rejected because the reservation expired, not by a reviewer. */
  lapsed: boolean;
  /** Ended by its operator. */
  cancelled: boolean;
  /** The node is pinned to the key that has proved the registration. */
  nodePinned: boolean;
  /** The link alone no longer ends it: the node’s key has proved it. */
  cancelNeedsKey: boolean;
  /** Whether a confirmation text was sent; only reviewers see the text itself. */
  cashConfirmGiven: boolean;
  /** The reservation expired and somebody else holds the name now. */
  nameGone: boolean;
  /** Reviewers have blocked the node. */
  nodeBlocked: boolean;
  /** While it waits for review: its position, from 1, and how many are waiting. */
  queue: { position: number; waiting: number } | null;
  /** How long reviews take at present, ms; null if there were too few. */
  usualMs: number | null;
  /** Of an active name: its node and its compute offer. */
  live: Pick<NameDetails, 'peer' | 'compute'> | null;
}

export interface StatusContext extends RecordContext {
  registry: Pick<RegistryService, 'name'>;
  reviewTimes: ReviewTimes;
  timelines: Timelines;
}

/**
 * Cheap enough for a page that asks every few seconds: one row by its key if there are other servers, the rest from
 * memory, except the timeline of a version that nobody has asked for yet.
 * @param lookup called before the row is read from the database; it may refuse. Then the answer is from memory, if the
 *   registration is known there
 * @throws AppError `not_found`, `unavailable`, or what `lookup` throws
 */
export async function registrationStatus(
  context: StatusContext,
  id: string,
  lookup = () => Promise.resolve(),
  now = context.clock(),
): Promise<FollowedRegistration> {
  const row = await newestRow(context, id, lookup, now);
  const lapsed = row.status === 'rejected' && row.decidedBy === SYSTEM;
  const waiting = row.status === 'pending_review';
  return {
    updatedAt: new Date(context.live.asOf(now)).toISOString(),
    registration: presentRegistration(context, row),
    cashtag: context.config.cashtag,
    timeline: context.live.degraded()
      ? context.timelines.cached(row)
      : await context.timelines.of(row).catch(nullWhileAway),
    confirmed: row.confirmedAt !== null,
    activated: row.activatedAt !== null,
    lapsed,
    cancelled: row.status === 'rejected' && row.decidedBy === OPERATOR,
    nameGone:
      lapsed &&
      context.reviewIndex
        .ofName(row.name)
        .some((other) => other.status !== 'rejected' && !isExpired(other, now)),
    nodePinned: row.proofKey !== null && pinOf(context, row.nodeId)?.key === row.proofKey,
    cancelNeedsKey: cancelNeedsKey(context, row),
    nodeBlocked: context.live.isBlocked(row.nodeId),
    cashConfirmGiven: row.cashConfirm !== null,
    queue: waiting ? context.reviewTimes.position(id) : null,
    usualMs: waiting ? context.reviewTimes.usualMs(now) : null,
    live: row.status === 'active' ? context.registry.name(row.name, now) : null,
  };
}

/**
 * The row from the database: an operator who has just confirmed sees that, whichever server handled it. From memory
 * while the database is unavailable.
 */
async function newestRow(
  context: StatusContext,
  id: string,
  lookup: () => Promise<void>,
  now: number,
): Promise<RegistrationRow> {
  const held = context.live.registrations.get(id);
  const known = held && !isExpired(held, now) ? held : null;
  if (known && context.live.degraded()) return known;
  const read = () => readRegistration(context, id, now);
  const row = await lookup()
    .then(read)
    .catch((error: unknown) => {
      if (known && isAppError(error) && ['unavailable', 'rate_limited'].includes(error.code))
        return known;
      throw error;
    });
  // The queue and the live state of the name come from memory: it must not be older than the row.
  context.live.registrations.apply([row]);
  return row;
}

/** The state of a registration is worth showing without its timeline. */
function nullWhileAway(error: unknown): null {
  if (isUnavailable(error)) return null;
  throw error;
}

const isUnavailable = (error: unknown): boolean =>
  isAppError(error) && error.code === 'unavailable';
