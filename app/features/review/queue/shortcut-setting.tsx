import { createContext, useContext, useState, useSyncExternalStore, type ReactNode } from 'react';
import styles from './shortcut-setting.module.css';

const STORAGE_KEY = 'review-keys';

/**
 * Whether keyboard shortcuts are on. The browser remembers it, unless it blocks storage: then the setting
 * lasts until the page is left.
 */
class ShortcutSetting {
  #on = true;
  readonly #listeners = new Set<() => void>();

  readonly isOn = (): boolean => this.#on;

  readonly set = (on: boolean): void => {
    this.#change(on);
    try {
      localStorage.setItem(STORAGE_KEY, on ? 'on' : 'off');
    } catch {
      // Storage is blocked or full.
    }
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    window.addEventListener('storage', this.#load);
    this.#load();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) window.removeEventListener('storage', this.#load);
    };
  };

  readonly #load = (): void => {
    try {
      const stored = localStorage.getItem(STORAGE_KEY);
      if (stored !== null) this.#change(stored !== 'off');
    } catch {
      // Storage is blocked.
    }
  };

  #change(on: boolean): void {
    if (on === this.#on) return;
    this.#on = on;
    this.#listeners.forEach((listener) => listener());
  }
}

const SettingContext = createContext<ShortcutSetting | null>(null);

export function ShortcutSettingProvider({ children }: { children: ReactNode }) {
  const [setting] = useState(() => new ShortcutSetting());
  return <SettingContext.Provider value={setting}>{children}</SettingContext.Provider>;
}

/** Whether keyboard shortcuts are on, and how to switch them. */
export function useShortcutSetting(): [on: boolean, set: (on: boolean) => void] {
  const setting = useContext(SettingContext);
  if (!setting) throw new Error('Shortcuts are used outside of ShortcutSettingProvider.');
  const on = useSyncExternalStore(setting.subscribe, setting.isOn, () => true);
  return [on, setting.set];
}

/** The key to press, beside what it does. Hidden where shortcuts are off, and on devices without a keyboard. */
export function ShortcutKey({ children }: { children: ReactNode }) {
  const [on] = useShortcutSetting();
  return on && <kbd className={`${styles.key} needs-scripts`}>{children}</kbd>;
}
