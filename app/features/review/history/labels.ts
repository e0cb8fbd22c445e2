import { reservedNamesHref } from '#server/names/reserved-names.schema.ts';
import type { HistoryEvent } from '#server/audit/history.schema.ts';
import type { HistoryEntry } from '#server/audit/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';

/** What the page calls each event. The CSV download has the events' own names. */
export const EVENT_LABEL: Record<HistoryEvent, string> = {
  started: 'registration started',
  confirmed: 'payment reported',
  accepted: 'registration accepted',
  rejected: 'registration rejected',
  revoked: 'registration revoked',
  undone: 'decision undone',
  expired: 'reservation expired',
  corrected: 'details corrected',
  proved: 'proved by the node’s key',
  cancelled: 'registration cancelled',
  released: 'name released by its operator',
  name_reserved: 'name reserved',
  name_released: 'name released',
  node_blocked: 'node blocked',
  node_unblocked: 'node unblocked',
  node_removed: 'node removed',
  node_key_reset: 'node key reset',
  payments_imported: 'payments imported',
  reviewer_invited: 'reviewer invited',
  invitation_withdrawn: 'invitation withdrawn',
  reviewer_joined: 'reviewer joined',
  access_link_made: 'access link created',
  access_renewed: 'access renewed',
  role_changed: 'role changed',
  reviewer_deactivated: 'reviewer deactivated',
  reviewer_reactivated: 'reviewer reactivated',
};

/** The page that shows an entry's subject. */
export function subjectHref({
  event,
  subject,
  note,
}: Pick<HistoryEntry, 'event' | 'subject' | 'note'>): string {
  if (note !== null) return hrefs.review.registration(note);
  if (event.startsWith('name_')) return reservedNamesHref({ q: subject, page: 1 });
  if (event.startsWith('node_')) return hrefs.node(subject);
  if (event === 'payments_imported') return hrefs.review.payments({ tab: 'imports' });
  return hrefs.review.reviewers();
}
