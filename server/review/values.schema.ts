/** What a reviewer can decide about a registration. */
export const DECISIONS = ['accept', 'reject', 'revoke'] as const;
export type DecisionKind = (typeof DECISIONS)[number];
