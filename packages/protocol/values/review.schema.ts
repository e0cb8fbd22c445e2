/** What a reviewer can decide about a registration. */
export const DECISIONS = ['accept', 'reject', 'revoke'] as const;
/**
 * Longest list of the queue. Newer registrations move up as the older ones are decided. All of them can be rejected at
 * once, and no more.
 */
export const QUEUE_LIMIT = 200;

export type DecisionKind = (typeof DECISIONS)[number];
