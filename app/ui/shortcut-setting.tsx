import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import styles from './shortcut-setting.module.css';

const STORAGE_KEY = 'review-keys';

/** Whether keyboard shortcuts are on, and how to switch them. */
type ShortcutSetting = readonly [on: boolean, set: (on: boolean) => void];

const SettingContext = createContext<ShortcutSetting | null>(null);

/** The browser remembers the setting, unless it blocks storage: then it lasts until the page is left. */
export function ShortcutSettingProvider({ children }: { children: ReactNode }) {
  const [on, setOn] = useState(true);
  useEffect(() => {
    const load = () => {
      try {
        const stored = localStorage.getItem(STORAGE_KEY);
        if (stored !== null) setOn(stored !== 'off');
      } catch {
        // Storage is blocked.
      }
    };
    load();
    window.addEventListener('storage', load);
    return () => window.removeEventListener('storage', load);
  }, []);
  const setting = useMemo(() => {
    const set = (on: boolean) => {
      setOn(on);
      try {
        localStorage.setItem(STORAGE_KEY, on ? 'on' : 'off');
      } catch {
        // Storage is blocked or full.
      }
    };
    return [on, set] as const;
  }, [on]);
  return <SettingContext.Provider value={setting}>{children}</SettingContext.Provider>;
}

export function useShortcutSetting(): ShortcutSetting {
  const setting = useContext(SettingContext);
  if (!setting) throw new Error('Shortcuts are used outside of ShortcutSettingProvider.');
  return setting;
}

/** Switches shortcuts off and on: someone may press a letter by accident, or speak it. */
export function ShortcutSwitch() {
  const [on, set] = useShortcutSetting();
  return (
    <label className={`${styles.switch} needs-scripts`}>
      <input type="checkbox" checked={on} onChange={({ target }) => set(target.checked)} />
      Use keyboard shortcuts on this device
    </label>
  );
}

/** The key to press, beside what it does. Hidden where shortcuts are off, and on devices without a keyboard. */
export function ShortcutKey({ children }: { children: ReactNode }) {
  const [on] = useShortcutSetting();
  return on && <kbd className={`${styles.key} needs-scripts`}>{children}</kbd>;
}
