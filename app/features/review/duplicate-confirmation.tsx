import { Status } from '#app/ui/status-icon.tsx';

/** Flags a registration, or its payment, whose confirmation text another registration has too. */
export const DuplicateConfirmation = () => (
  <Status status="idle" word="duplicate confirmation text" />
);
