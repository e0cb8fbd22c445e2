import type { StatusChange } from '#server/review/index.ts';
import { ExactTime } from '#app/ui/exact-time.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import text from '#app/ui/text.module.css';
import { changeLabel, statusLabel } from '../labels.ts';
import styles from './registration-history.module.css';

/** Every change of a registration's status, oldest first. */
export function RegistrationHistory({ entries }: { entries: StatusChange[] }) {
  return (
    <ol className={styles.history}>
      {entries.map((entry) => (
        <li key={`${entry.at} ${entry.to}`}>
          <strong>{changeLabel(entry)}</strong>
          <span className={text.secondary}>
            {statusLabel({ status: entry.to, decidedBy: entry.actor }).word} since{' '}
            <ExactTime at={entry.at} />, <RelativeTime at={entry.at} />
          </span>
          {entry.reason && <span>“{entry.reason}”</span>}
        </li>
      ))}
    </ol>
  );
}
