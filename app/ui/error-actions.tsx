import { Link, useLocation } from '@remix-run/react';
import type { ReactNode } from 'react';
import button from './button.module.css';
import styles from './error-actions.module.css';

interface ErrorActionsProps {
  again: boolean;
  ways: { to: string; text: string }[];
  /** Further items. */
  children?: ReactNode;
}

/** What to do about an error: try the same address again where that may help, or go elsewhere. */
export function ErrorActions({ again, ways, children }: ErrorActionsProps) {
  const { pathname, search } = useLocation();
  return (
    <ul className={styles.actions}>
      {again && (
        <li>
          <Link className={button.primary} to={pathname + search} reloadDocument>
            Try again
          </Link>
        </li>
      )}
      {ways.map(({ to, text }, i) => (
        <li key={to}>
          <Link className={i === 0 && !again ? button.primary : button.button} to={to}>
            {text}
          </Link>
        </li>
      ))}
      {children}
    </ul>
  );
}
