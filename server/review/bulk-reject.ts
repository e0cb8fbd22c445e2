import { isAppError } from '#server/common/errors.schema.ts';
import { requireReason } from '#server/audit/index.ts';
import { decide, eachOf } from './decisions.ts';
import type { ReviewContext } from './rows.ts';

/** Rejects many registrations with one reason. */

export interface Rejections {
  /** The reviewer's address. */
  reviewer: string;
  /** The operators see it. */
  reason: string | undefined;
  /** The registrations' payment notes, each with the `rev` that the reviewer saw. At most `QUEUE_LIMIT`. */
  rows: { note: string; rev: number }[];
}

export type RejectedTogether = Awaited<ReturnType<typeof rejectTogether>>;

/**
 * Rejects each of the registrations as a single decision does, with the same time to undo it. Those that someone else
 * has decided, or whose operator has changed them, are left out.
 * @throws AppError `invalid_body` (the reason), `unavailable`
 */
export async function rejectTogether(
  context: ReviewContext,
  { reviewer, reason, rows }: Rejections,
) {
  const revs = new Map(rows.map(({ note, rev }) => [note, rev]));
  const now = context.clock();
  const stored = requireReason(reason ?? '');
  const why = new Map<string, string>();
  await eachOf([...revs.keys()], async (note) => {
    try {
      await decide(
        context,
        { note, reviewer, decision: 'reject', reason, rev: revs.get(note) },
        now,
      );
    } catch (error) {
      if (!isAppError(error) || error.code === 'unavailable') throw error;
      why.set(note, error.message);
    }
  });
  return {
    /** The notes of those that are rejected. */
    notes: [...revs.keys()].filter((note) => !why.has(note)),
    reason: stored,
    /** The others, and why, in the order of the request. */
    leftOut: [...revs.keys()].flatMap((note) => {
      const refused = why.get(note);
      const name = context.reviewIndex.byNote(note)?.name ?? null;
      return refused === undefined ? [] : [{ note, name, why: refused }];
    }),
  };
}
