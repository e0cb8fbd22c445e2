import { exact } from '#app/lib/clock.ts';
import type { Connection } from './live-store.ts';

/** Whether what is shown is of this moment. Changes seldom, so a screen reader hears it change. */
export function LiveState({ connection, madeAt }: { connection: Connection; madeAt: string }) {
  return (
    <p className={`live-state ${connection.state}`} role="status">
      <span className="live-dot" aria-hidden />
      <LiveText connection={connection} madeAt={madeAt} />
    </p>
  );
}

function LiveText({ connection, madeAt }: { connection: Connection; madeAt: string }) {
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
          <span className="as-of">shown as of {timeOf(asOf)}</span>
        </span>
      );
    }
    case 'starting':
      return (
        <span>
          <span className="live-words">As of </span>
          <time dateTime={madeAt}>{exact(madeAt).slice(11)}</time>
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
