import type { RegistrationRow } from '#db/schema/index.ts';
import { presentRow, type ReviewContext } from './rows.ts';
import type { ReviewSearch } from './search.schema.ts';

/** Registrations per page. */
const PAGE_LIMIT = 50;

/** One page of all registrations, newest change first. Scans every registration in memory. */
export function searchRegistrations(
  context: ReviewContext,
  { q, status, page }: ReviewSearch,
  now = context.clock(),
) {
  const text = q.toLowerCase();
  const counts = { any: 0, pending_payment: 0, pending_review: 0, active: 0, rejected: 0 };
  const found = context.reviewIndex.newest().filter((row) => {
    if (!matches(row, text)) return false;
    counts.any++;
    counts[row.status]++;
    return status === null || row.status === status;
  });
  const pages = Math.max(1, Math.ceil(found.length / PAGE_LIMIT));
  const number = Math.min(page, pages);
  return {
    updatedAt: new Date(context.live.asOf(now)).toISOString(),
    /** How many registrations in each state match the text. */
    counts,
    page: { number, limit: PAGE_LIMIT, total: found.length },
    rows: found
      .slice((number - 1) * PAGE_LIMIT, number * PAGE_LIMIT)
      .map((row) => presentRow(context, row)),
  };
}

/** @param text in lower case */
const matches = (
  { name, label, paymentNote, nodeId, cashConfirm }: RegistrationRow,
  text: string,
): boolean =>
  text === '' ||
  name.includes(text) ||
  label.toLowerCase().includes(text) ||
  paymentNote.toLowerCase().includes(text) ||
  nodeId.toLowerCase().includes(text) ||
  (cashConfirm?.toLowerCase().includes(text) ?? false);
