import type { ReactNode } from 'react';
import { useShortcutSetting } from './shortcut-setting.tsx';
import styles from './shortcut-key.module.css';

/** The key to press, beside what it does. Hidden where shortcuts are off, and on devices without a keyboard. */
export function ShortcutKey({ children }: { children: ReactNode }) {
  const [on] = useShortcutSetting();
  return on && <kbd className={`${styles.key} needs-scripts`}>{children}</kbd>;
}
