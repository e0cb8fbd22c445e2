/** Why a registration is rejected or revoked, in words that the operator sees. Free of zod, because the browser reads it too. */

/** Longest reason, characters. */
export const REASON_MAX = 500;

/** Kept phrases: to choose from, and to edit. */
export const REASONS = [
  'No payment with this note was found.',
  'The amount paid differs from the fee.',
  'The name could mislead: it looks like another network’s or person’s.',
  'The node was never seen under this id.',
  'Asked for by the operator.',
] as const;
