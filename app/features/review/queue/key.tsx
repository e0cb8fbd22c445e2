import { useSyncExternalStore, type ReactNode } from 'react';

const STORED = 'review-keys';
const CHANGED = 'review-keys-changed';

function subscribe(listener: () => void): () => void {
  window.addEventListener(CHANGED, listener);
  return () => window.removeEventListener(CHANGED, listener);
}

/** Whether the keys are on, and how to switch them; remembered by this browser. */
export function useKeysSwitch(): [boolean, (on: boolean) => void] {
  const on = useSyncExternalStore(
    subscribe,
    () => localStorage.getItem(STORED) !== 'off',
    () => true,
  );
  const set = (wanted: boolean) => {
    localStorage.setItem(STORED, wanted ? 'on' : 'off');
    window.dispatchEvent(new Event(CHANGED));
  };
  return [on, set];
}

/** What to press, beside what it does: where the keys are on. */
export function Key({ children }: { children: ReactNode }) {
  const [on] = useKeysSwitch();
  return on && <kbd className="needs-scripts">{children}</kbd>;
}
