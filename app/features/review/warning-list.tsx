import type { QueueItem } from '#server/review/index.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { useContext } from 'react';
import { Notice } from '#app/ui/notice.tsx';
import styles from './warning-list.module.css';
import { warningsOf } from './warnings.ts';

type Warned = Parameters<typeof warningsOf>[0];

/** What is worth a look before a registration is decided. */
export function WarningList({ registration }: { registration: Warned }) {
  const warnings = warningsOf(registration, useContext(PageMoment));
  if (warnings.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="Warnings">
      {warnings.map(({ title, text }) => (
        <li key={title}>
          <Notice className={styles.warning}>
            {text === undefined ? title : <strong>{title}</strong>} {text}
          </Notice>
        </li>
      ))}
    </ul>
  );
}

/** In a row: how many there are. */
export function WarningCount({
  registration,
  className = '',
}: {
  registration: QueueItem;
  className?: string | undefined;
}) {
  const { length } = warningsOf(registration, useContext(PageMoment));
  if (length === 0) return null;
  return (
    <Notice className={`${styles.count} ${className}`}>
      {length}
      <span className="visually-hidden"> {length === 1 ? 'warning' : 'warnings'}</span>
    </Notice>
  );
}
