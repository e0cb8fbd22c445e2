import type { ServiceContext } from '#server/context.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import type { RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import { decideAll } from './decisions.ts';
import type { ReviewIndex } from '#server/registration/index.ts';

/** Rejects many registrations with one reason. */

export interface Rejections {
  /** The reviewer's address. */
  reviewer: string;
  /** The operators see it. */
  reason: string | undefined;
  /** The registrations' payment notes, each with the `rev` that the reviewer saw. At most `QUEUE_LIMIT`. */
  rows: { note: string; rev: number }[];
}

export interface RejectedTogether {
  /** The notes of those that are rejected, unless the reviewer undoes it. */
  notes: string[];
  reason: string;
  /** The others, and why, in the order of the request. */
  leftOut: { note: string; name: string | null; why: string }[];
}

/**
 * Rejects each of the registrations as a single decision does, with the same time to undo it. Those that someone else
 * has decided, or whose operator has changed them, are left out.
 * @throws AppError `invalid_body` (the reason), `unavailable`
 */
export async function rejectTogether(
  s: ServiceContext & { reviewIndex: ReviewIndex },
  { reviewer, reason, rows }: Rejections,
): Promise<RejectedTogether> {
  const outcomes = await decideAll(s, rows, { reviewer, decision: 'reject', reason });
  const notes: string[] = [];
  const leftOut: RejectedTogether['leftOut'] = [];
  let stored = reason ?? '';
  for (const note of new Set(rows.map(({ note }) => note))) {
    const outcome = outcomes.get(note);
    if (outcome && !isAppError(outcome)) {
      notes.push(note);
      stored = outcome.reason ?? stored;
      continue;
    }
    leftOut.push({
      note,
      name: s.reviewIndex.byNote(note)?.name ?? null,
      why: outcome?.message ?? 'No registration has this payment note.',
    });
  }
  return { notes, reason: stored, leftOut };
}

/** What has become of a registration that was to be rejected. */
export interface RejectionOutcome {
  note: string;
  name: string;
  status: RegistrationStatus;
  decidedBy: string | null;
}

/** The present state of registrations, from memory. Unknown notes are left out. */
export const outcomesOf = (index: ReviewIndex, notes: string[]): RejectionOutcome[] =>
  notes.flatMap((note) => {
    const row = index.byNote(note);
    return row ? [{ note, name: row.name, status: row.status, decidedBy: row.decidedBy }] : [];
  });
