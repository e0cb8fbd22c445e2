import type { RegistrationDetails } from '#server/review/index.ts';
import { Status } from '#app/ui/status-icon.tsx';
import { statusLabel } from '../labels.ts';

/** The status of a registration with its icon. */
export function RegistrationStatus(
  registration: Pick<RegistrationDetails, 'status' | 'decidedBy'>,
) {
  const { word, icon } = statusLabel(registration);
  return <Status status={icon} word={word} />;
}
