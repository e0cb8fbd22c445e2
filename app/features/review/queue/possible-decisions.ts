import type { DecisionKind, RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { RegistrationDetails } from '#server/review/index.ts';

export type Decidable = Pick<RegistrationDetails, 'note' | 'status' | 'decision'>;

/** The decision that ends a registration of each status. */
const ENDING: Record<RegistrationStatus, 'reject' | 'revoke' | null> = {
  pending_payment: 'reject',
  pending_review: 'reject',
  active: 'revoke',
  rejected: null,
};

export const endingOf = (status: RegistrationStatus) => ENDING[status];

/** What a reviewer can decide now: nothing while a decision can still be undone. */
export function possibleDecisions({ status, decision }: Decidable): readonly DecisionKind[] {
  if (decision) return [];
  const ending = endingOf(status);
  return [
    ...(status === 'pending_review' ? (['accept'] as const) : []),
    ...(ending ? [ending] : []),
  ];
}
