import type { HistoryEvent } from '#server/review/history.schema.ts';

/** What the history calls what happened, in the list and in its filter. The download has the events' own names. */
const WORDS: Record<string, string> = {
  started: 'started',
  confirmed: 'payment confirmed',
  accepted: 'accepted',
  rejected: 'rejected',
  revoked: 'revoked',
  expired: 'hold ran out',
  name_reserved: 'name reserved',
  name_released: 'name released',
  node_blocked: 'node blocked',
  node_unblocked: 'block lifted',
  payments_imported: 'payments imported',
  reviewer_invited: 'reviewer invited',
  invitation_withdrawn: 'invitation withdrawn',
  reviewer_joined: 'reviewer joined',
  access_link_made: 'access link made',
  access_renewed: 'access renewed',
  role_changed: 'role changed',
  reviewer_deactivated: 'reviewer deactivated',
  reviewer_reactivated: 'reviewer reactivated',
};

export const eventWords = (event: HistoryEvent): string =>
  WORDS[event] ?? event.replaceAll('_', ' ');

/** Where to look at what it happened to. */
export function subjectHref(entry: {
  event: HistoryEvent;
  subject: string;
  note: string | null;
}): string {
  const { event, subject, note } = entry;
  if (note !== null) return `/review/registrations/${encodeURIComponent(note)}`;
  if (event.startsWith('name_')) return `/review/names?q=${encodeURIComponent(subject)}`;
  if (event.startsWith('node_')) return `/nodes/${encodeURIComponent(subject)}`;
  if (event === 'payments_imported') return '/review/payments';
  return '/review/reviewers';
}
