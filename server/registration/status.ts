import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import { OPERATOR, SYSTEM } from '@mesh-registry/protocol/values.schema.ts';
import { isExpired, type RegistrationRow } from '#db/schema/index.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import { pinOf } from '#server/identity/index.ts';
import { cancelNeedsKey } from './own-changes.ts';
import {
  presentRegistration,
  readRegistration,
  withQuestions,
  type RegistrationContext,
} from './record.ts';

/** A registration as its operator follows it: what everybody who has its id may see. */
export type FollowedRegistration = Omit<
  Awaited<ReturnType<typeof registrationStatus>>,
  'registration'
> & { registration: Registration };

/**
 * Cheap enough for a page that asks every few seconds: one row by its key if there are other servers, the rest from
 * memory, except the timeline of a version that nobody has asked for yet.
 * @param lookup called before the row is read from the database; it may refuse. Then the answer is from memory, if the
 *   registration is known there
 * @throws AppError `not_found`, `unavailable`, or what `lookup` throws
 */
export async function registrationStatus(
  context: RegistrationContext,
  id: string,
  lookup: () => void = () => {},
  now = context.clock(),
) {
  const row = await newestRow(context, id, lookup, now);
  const lapsed = row.status === 'rejected' && row.decidedBy === SYSTEM;
  const waiting = row.status === 'pending_review';
  const questions = context.live.degraded()
    ? context.questions.cached(row)
    : await context.questions.of([row]).then((asked) => asked.get(row.id), nullWhileAway);
  return {
    updatedAt: new Date(context.live.asOf(now)).toISOString(),
    registration: withQuestions(presentRegistration(context, row), questions ?? undefined),
    /** Whether `questions` of the registration are known: the database may be unavailable. */
    questionsKnown: questions !== null,
    cashtag: context.config.cashtag,
    /** What has happened, oldest first; null if the database is unavailable and the timeline is not cached. */
    timeline: context.live.degraded()
      ? context.timelines.cached(row)
      : await context.timelines.of(row).catch(nullWhileAway),
    /** Whether the operator has confirmed the payment. */
    confirmed: row.confirmedAt !== null,
    /** Whether it is or was active. */
    activated: row.activatedAt !== null,
    /** Rejected because the reservation expired, not by a reviewer. */
    lapsed,
    /** Ended by its operator. */
    cancelled: row.status === 'rejected' && row.decidedBy === OPERATOR,
    /** The reservation expired and somebody else holds the name now. */
    nameGone:
      lapsed && context.reviewIndex.ofName(row.name).some((other) => !isExpired(other, now)),
    /** A key has proved it, whether or not that is the node’s. */
    keyProved: row.proofKey !== null,
    /** The node is pinned to the key that has proved the registration. */
    nodePinned: row.proofKey !== null && pinOf(context, row.nodeId)?.key === row.proofKey,
    /** The link alone no longer ends it: the node’s key has proved it. */
    cancelNeedsKey: cancelNeedsKey(row, pinOf(context, row.nodeId)),
    /** Reviewers have blocked the node. */
    nodeBlocked: context.live.nodes.isBlocked(row.nodeId),
    /** Whether a confirmation text was sent; only reviewers see the text itself. */
    cashConfirmGiven: row.cashConfirm !== null,
    /** While it waits for review: its position, from 1, and how many are waiting. */
    queue: waiting ? context.reviewTimes.position(row.id) : null,
    /** Before a decision: how long reviews take at present, ms; null if there were too few. */
    usualMs:
      waiting || row.status === 'pending_payment' ? await context.reviewTimes.usualMs(now) : null,
    /** Of an active name: its node and its compute offer. */
    live: row.status === 'active' ? context.registry.name(row.name, now) : null,
  };
}

/**
 * The row from the database: an operator who has just confirmed sees that, whichever server handled it. From memory
 * while the database is unavailable, unless it has ended.
 */
async function newestRow(
  context: RegistrationContext,
  id: string,
  lookup: () => void,
  now: number,
): Promise<RegistrationRow> {
  const held = context.reviewIndex.bySecret(id);
  const known = held && !isExpired(held, now) ? held : null;
  if (known && context.live.degraded()) return known;
  const read = async () => {
    lookup();
    return await readRegistration(context, id, now);
  };
  const row = await read().catch((error: unknown) => {
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
  if (isAppError(error) && error.code === 'unavailable') return null;
  throw error;
}
