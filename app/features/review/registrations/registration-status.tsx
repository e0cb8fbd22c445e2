import type { Opened } from '#server/review/review-desk.ts';
import { Status } from '#app/ui/status-icon.tsx';
import { statusLabel } from '../labels.ts';

/** The status of a registration with its icon. */
export function RegistrationStatus(registration: Pick<Opened, 'status' | 'decidedBy'>) {
  const { word, icon } = statusLabel(registration);
  return <Status status={icon} word={word} />;
}
