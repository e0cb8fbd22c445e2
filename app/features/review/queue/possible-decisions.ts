import type { DecisionKind, RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { RegistrationDetails } from '#server/review/index.ts';

export type Decidable = Pick<RegistrationDetails, 'note' | 'status'>;

/** The decision that ends a registration of each status. */
const ENDING: Record<RegistrationStatus, 'reject' | 'revoke' | null> = {
  pending_payment: 'reject',
  pending_review: 'reject',
  active: 'revoke',
  rejected: null,
};

export const endingOf = (status: RegistrationStatus) => ENDING[status];

/** What a reviewer can decide now. */
export function possibleDecisions({ status }: Decidable): readonly DecisionKind[] {
  const ending = endingOf(status);
  return [
    ...(status === 'pending_review' ? (['accept'] as const) : []),
    ...(ending ? [ending] : []),
  ];
}
