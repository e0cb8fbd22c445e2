import type { Registration } from '../schemas/registry.ts';
import type { ServiceContext } from './context.ts';
import { nameDetails, type NameDetails } from './details.ts';
import type { NameIndex } from './name-index.ts';
import { isDue } from './registration-states.ts';
import { SYSTEM } from '../schemas/values.ts';
import { presentRegistration, readRegistration } from './registration.ts';
import type { ReviewTimes } from './review-times.ts';

/** A registration as its operator follows it: what everybody with its id may see, and no more of who decides. */
export interface FollowedRegistration {
  updatedAt: string;
  registration: Registration;
  cashtag: string;
  /** When the operator said that it is paid. */
  confirmedAt: string | null;
  /** When a reviewer decided, or the hold ended. */
  decidedAt: string | null;
  activatedAt: string | null;
  /** Rejected because it was not paid in time, not by a reviewer. */
  lapsed: boolean;
  /** Whether there is a confirmation text of the payment app; the text itself is for reviewers alone. */
  cashConfirmGiven: boolean;
  /** While it waits for a reviewer: its place, from 1, and how many wait. */
  queue: { place: number; waiting: number } | null;
  /** How long reviews take lately, ms; null where too few say. */
  usualMs: number | null;
  /** Of an active name: what is there of its node and its compute. */
  live: Pick<NameDetails, 'peer' | 'compute'> | null;
}

/**
 * Cheap enough to be asked every few seconds: from memory, unless this server has not heard of the
 * registration yet or its hold has just run out.
 * @throws AppError `not_found`, `unavailable`
 */
export async function follow(
  s: ServiceContext & { names: NameIndex; reviewTimes: ReviewTimes },
  id: string,
  now = s.clock(),
): Promise<FollowedRegistration> {
  const held = s.live.registrations.get(id);
  const row = held && !isDue(held, now) ? held : await readRegistration(s, id, now);
  const waits = row.status === 'pending_review';
  return {
    updatedAt: new Date(s.live.asOf(now)).toISOString(),
    registration: presentRegistration(s, row),
    cashtag: s.config.cashtag,
    confirmedAt: row.confirmedAt?.toISOString() ?? null,
    decidedAt: row.decidedAt?.toISOString() ?? null,
    activatedAt: row.activatedAt?.toISOString() ?? null,
    lapsed: row.status === 'rejected' && row.decidedBy === SYSTEM,
    cashConfirmGiven: row.cashConfirm !== null,
    queue: waits ? s.reviewTimes.place(id) : null,
    usualMs: s.reviewTimes.usualMs(now),
    live: row.status === 'active' ? nameDetails(s, row.name, now) : null,
  };
}
