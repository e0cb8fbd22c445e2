import { useEffect, useRef, type ReactNode } from 'react';
import button from './button.module.css';
import card from './card.module.css';
import styles from './menu.module.css';

/** A button that opens a panel below it. It is a `details`, so it works without scripts; scripts close it on Escape and outside clicks. */
export function Menu({ label, children }: { label: string; children: ReactNode }) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const { current } = menu;
      if (!current?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        if (current.contains(document.activeElement)) current.querySelector('summary')?.focus();
      } else if (current.contains(event.target as Node)) return;
      current.open = false;
    };
    const events = ['pointerdown', 'focusin', 'keydown'];
    for (const event of events) document.addEventListener(event, close);
    return () => {
      for (const event of events) document.removeEventListener(event, close);
    };
  }, []);
  return (
    <details ref={menu} className={styles.menu}>
      <summary className={button.button}>{label}</summary>
      <div className={`${card.floating} ${styles.panel}`}>{children}</div>
    </details>
  );
}
