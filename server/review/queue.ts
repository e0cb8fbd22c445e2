import { withRetry } from '#server/common/with-retry.ts';
import { readByNote } from './decisions.ts';
import { decidedToday } from './day.ts';
import { presentDetails } from './details.ts';
import { markOpen, ownDecisions, readPresence, readQueueState } from './presence.ts';
import { presentItem, readKnown, type ReviewContext } from './rows.ts';
import { QUEUE_LIMIT } from '@mesh-registry/protocol/values.schema.ts';

/**
 * The queue. Waiting registrations, nodes and compute offers come from the read model; presence, decisions, payments and
 * the registration that is open from the database.
 */

export interface QueueRequest {
  /** The address of the reviewer who asks. */
  reviewer: string;
  /** The payment note of the registration that is open beside the queue. */
  open?: string | undefined;
  /** Also record that the reviewer has that one open, if it is waiting for review. */
  markOpen?: boolean;
}

/**
 * The queue as one reviewer sees it.
 * @throws AppError `not_found` (no registration has the note `open`), `unavailable`
 */
export async function reviewQueue(
  context: ReviewContext,
  { reviewer, open: note, markOpen: mark = false }: QueueRequest,
  now = context.clock(),
) {
  const open = note === undefined ? null : await readByNote(context.db, note);
  if (mark && open?.status === 'pending_review')
    await markOpen(context, { note: open.paymentNote, reviewer }, now);
  const [state, today] = await Promise.all([
    readQueueState(context, now),
    decidedToday(context, now),
  ]);
  const queue = context.reviewIndex.queue();
  const rows = queue.slice(0, QUEUE_LIMIT);
  const known = await readKnown(context, open ? [...rows, open] : rows);
  return {
    updatedAt: new Date(context.live.asOf(now)).toISOString(),
    /** All waiting registrations. */
    total: queue.length,
    /** What was decided today, and how long it had waited. */
    today,
    /** What a registration costs now. */
    usualFeeUsd: context.config.feeCents / 100,
    /** The longest waiting first; at most {@link QUEUE_LIMIT}. */
    items: rows.map((row) => presentItem(context, row, state, known, now)),
    /** The reviewer's decisions that can still be undone, newest first. */
    mine: ownDecisions(state, reviewer),
    open: open && (await presentDetails(context, open, state, known, now)),
  };
}

/**
 * The payment note of the registration to open after this one: the next in the queue that nobody else has open, else an
 * earlier one; null if there is none.
 * @throws AppError `unavailable`
 */
export async function nextInQueue(
  context: ReviewContext,
  { note, reviewer }: { note: string; reviewer: string },
  now = context.clock(),
): Promise<string | null> {
  const { open } = await withRetry(() => readPresence(context, now));
  const others = new Set(
    open.filter((row) => row.reviewer !== reviewer).map((row) => row.registrationId),
  );
  const queue = context.reviewIndex.queue();
  const at = queue.findIndex(({ paymentNote }) => paymentNote === note);
  const next = [...queue.slice(at + 1), ...queue.slice(0, Math.max(at, 0))].find(
    ({ id }) => !others.has(id),
  );
  return next?.paymentNote ?? null;
}
