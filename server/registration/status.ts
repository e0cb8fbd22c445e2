import type { RegistrationRow } from '#db/schema.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import { SYSTEM } from '#server/common/values.schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { nameDetails, type NameDetails } from '#server/registry/index.ts';
import { isDue } from './state-machine.ts';
import { presentRegistration, readRegistration } from './registration.ts';
import type { ReviewIndex } from '#server/review/index-by-note.ts';
import type { ReviewTimes } from './queue-estimate.ts';
import type { TimelineEvent, Timelines } from './timeline.ts';
import type { Registration } from './register.schema.ts';

/** A registration as its operator follows it: what everybody with its id may see, and no more of who decides. */
export interface FollowedRegistration {
  updatedAt: string;
  registration: Registration;
  cashtag: string;
  /** What has happened, the oldest first; null while the database is away and this server has not read it. */
  timeline: TimelineEvent[] | null;
  /** Whether the operator said that it is paid. */
  confirmed: boolean;
  /** Whether it has been active. */
  activated: boolean;
  /** Rejected because it was not paid in time, not by a reviewer. */
  lapsed: boolean;
  /** Whether there is a confirmation text of the payment app; the text itself is for reviewers alone. */
  cashConfirmGiven: boolean;
  /** Of a name that lapsed: somebody else holds it. */
  nameGone: boolean;
  /** Reviewers have blocked its node. */
  nodeBlocked: boolean;
  /** While it waits for a reviewer: its place, from 1, and how many wait. */
  queue: { place: number; waiting: number } | null;
  /** How long reviews take lately, ms; null where too few say. */
  usualMs: number | null;
  /** Of an active name: what is there of its node and its compute. */
  live: Pick<NameDetails, 'peer' | 'compute'> | null;
}

export interface FollowContext extends ServiceContext {
  reviewIndex: ReviewIndex;
  reviewTimes: ReviewTimes;
  timelines: Timelines;
}

/**
 * Cheap enough to be asked every few seconds: one row of the database by its key, where there are other servers;
 * the rest from memory, but for the history of a version that has not been asked for yet.
 * @throws AppError `not_found`, `unavailable`
 */
export async function follow(
  s: FollowContext,
  id: string,
  now = s.clock(),
): Promise<FollowedRegistration> {
  const row = await newestRow(s, id, now);
  const lapsed = row.status === 'rejected' && row.decidedBy === SYSTEM;
  const waits = row.status === 'pending_review';
  return {
    updatedAt: new Date(s.live.asOf(now)).toISOString(),
    registration: presentRegistration(s, row),
    cashtag: s.config.cashtag,
    timeline: s.live.degraded(now)
      ? s.timelines.known(row)
      : await s.timelines.of(row).catch(nullWhileAway),
    confirmed: row.confirmedAt !== null,
    activated: row.activatedAt !== null,
    lapsed,
    nameGone:
      lapsed &&
      s.reviewIndex
        .ofName(row.name)
        .some((other) => other.status !== 'rejected' && !isDue(other, now)),
    nodeBlocked: s.live.isBlocked(row.nodeId),
    cashConfirmGiven: row.cashConfirm !== null,
    queue: waits ? s.reviewTimes.place(id) : null,
    usualMs: waits ? s.reviewTimes.usualMs(now) : null,
    live: row.status === 'active' ? nameDetails(s, row.name, now) : null,
  };
}

/**
 * As the database has it: who has just confirmed sees that here, whichever server took it. From memory where no
 * other server can have taken anything, and while the database is away.
 */
async function newestRow(s: FollowContext, id: string, now: number): Promise<RegistrationRow> {
  const held = s.live.registrations.get(id);
  const known = held && !isDue(held, now) ? held : null;
  if (known && (s.live.alone || s.live.degraded(now))) return known;
  const row = await readRegistration(s, id, now).catch((error: unknown) => {
    if (known && isUnavailable(error)) return known;
    throw error;
  });
  // The queue and the live state of the name are told from memory: it is to be as new as the row.
  s.live.registrations.apply([row]);
  return row;
}

/** Where a registration stands is worth more than how it came to be so. */
function nullWhileAway(error: unknown): null {
  if (isUnavailable(error)) return null;
  throw error;
}

const isUnavailable = (error: unknown): boolean =>
  isAppError(error) && error.code === 'unavailable';
