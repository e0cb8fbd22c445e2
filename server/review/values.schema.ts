/** What a reviewer can decide about a registration. */
export const DECISIONS = ['accept', 'reject', 'revoke'] as const;
/** Longest list of the queue. Newer registrations move up as the older ones are decided. */
export const QUEUE_LIMIT = 200;
/** Most registrations that can be rejected, or whose rejection can be undone, at once: all that the queue shows. */
export const BULK_REJECT_MAX = QUEUE_LIMIT;

export type DecisionKind = (typeof DECISIONS)[number];
