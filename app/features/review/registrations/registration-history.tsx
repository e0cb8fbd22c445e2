import type { StatusChange } from '#server/review/index.ts';
import { PROVED_REASON } from '@mesh-registry/protocol/values.schema.ts';
import { Moment } from '#app/ui/moment.tsx';
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
            <Moment at={entry.at} />
          </span>
          {entry.reason && (entry.from !== entry.to || entry.reason !== PROVED_REASON) && (
            <span>“{entry.reason}”</span>
          )}
        </li>
      ))}
    </ol>
  );
}
