import { exact } from '#app/lib/clock.ts';
import type { Connection } from '#app/lib/connection.ts';
import styles from './connection-status.module.css';

/** Whether what is shown is of this moment. Changes seldom, so a screen reader hears it change. */
export function ConnectionStatus({
  connection,
  madeAt,
}: {
  connection: Connection;
  madeAt: string;
}) {
  return (
    <p className={`${styles.status} ${styles[connection.state] ?? ''}`} role="status">
      <span className={styles.dot} aria-hidden />
      <StatusText connection={connection} madeAt={madeAt} />
    </p>
  );
}

function StatusText({ connection, madeAt }: { connection: Connection; madeAt: string }) {
  switch (connection.state) {
    case 'live':
      return <span>Live</span>;
    case 'polling':
      return <span>Updated every {(connection.everyMs ?? 10_000) / 1000} s</span>;
    case 'stale': {
      const asOf = new Date(connection.asOf);
      return (
        <span>
          {connection.signedOut ? 'Signed out' : 'Reconnecting'}{' '}
          <span className={styles.asOf}>shown as of {timeOf(asOf)}</span>
        </span>
      );
    }
    case 'starting':
      return (
        <span>
          As of <time dateTime={madeAt}>{exact(madeAt).slice(11)}</time>
        </span>
      );
  }
}

/** By the clock of whoever looks at it; only ever rendered in a browser. */
const timeOf = (moment: Date) => (
  <time dateTime={moment.toISOString()} title={exact(moment.toISOString())}>
    {moment.toLocaleTimeString('en-GB')}
  </time>
);
