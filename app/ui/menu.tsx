import type { ReactNode } from 'react';
import button from './button.module.css';
import card from './card.module.css';
import styles from './menu.module.css';
import { useDetails } from './use-details.ts';

interface MenuProps {
  label: string;
  icon?: ReactNode;
  children: ReactNode;
}

/** A button that opens a panel below it. It is a `details`, so it works without scripts. */
export function Menu({ label, icon, children }: MenuProps) {
  const { details } = useDetails();
  return (
    <details ref={details} className={styles.menu}>
      <summary className={button.button}>
        {icon}
        {label}
      </summary>
      <div className={`${card.floating} ${styles.panel}`}>{children}</div>
    </details>
  );
}
