import type { NetworkSummary } from '#server/network/truth.ts';
import { count } from '#app/lib/formatters.ts';
import { Moment } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import type { loadNetwork } from './network-page.server.ts';

export type Log = ReturnType<typeof loadNetwork>['log'];

interface LogFactsProps {
  log: Log;
  checkpoint: NetworkSummary['truth']['log'];
}

/** How far the public log goes, and which block of it the truth names. */
export function LogFacts({ log, checkpoint }: LogFactsProps) {
  return (
    <>
      {log !== null && (
        <>
          <dt>Log</dt>
          <dd>
            <Newest log={log} />
          </dd>
        </>
      )}
      <dt>Checkpoint</dt>
      <dd>
        {checkpoint.height === 0 ? (
          'The network’s settings don’t pin a log entry yet.'
        ) : (
          <>
            The log must contain block {count(checkpoint.height)}
            <code className={text.remark}>{checkpoint.id}</code>
          </>
        )}
      </dd>
    </>
  );
}

function Newest({ log }: { log: NonNullable<Log> }) {
  if (log === 'unreadable') return <>This service can’t read its log at the moment.</>;
  if (log.time === null) return <>This service has written no block yet.</>;
  return (
    <>
      Block {count(log.height)}, written by this service <Moment at={log.time} />
      <code className={text.remark}>{log.id}</code>
    </>
  );
}
