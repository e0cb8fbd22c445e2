import { useMemo, useSyncExternalStore } from 'react';
import { onChange, parse, read, type SavedRegistration } from './saved-registrations.ts';

/** The registrations saved in this browser, newest first; none while the server renders. */
export function useSavedRegistrations(): SavedRegistration[] {
  const stored = useSyncExternalStore(onChange, read, () => '[]');
  return useMemo(() => parse(stored), [stored]);
}
