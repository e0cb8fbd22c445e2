/** Suggested reasons for a rejection, which reviewers can edit. The operator sees them. Without zod, because the browser uses it too. */
export const REASONS = [
  'No payment with this note was found.',
  'The amount paid differs from the fee.',
  'The name could mislead: it looks like another network’s or person’s.',
  'No node with this ID was ever seen.',
  'Requested by the operator.',
] as const;
