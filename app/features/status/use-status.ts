import { useEffect, useState } from 'react';
import type { StatusSummary } from '#server/status/index.ts';
import { anySignal } from '#app/lib/any-signal.ts';
import { useClock } from '#app/lib/clock.ts';
import { type Connection, usePolling } from '#app/lib/polling.ts';

const REFRESH_MS = 10_000;
/** An answer that takes longer counts as none (ms). */
const TIMEOUT_MS = 8000;

/**
 * The status as the server rendered it, then asked for again while the page is visible. It doesn't run the
 * loader again: while the server is unavailable, a failed loader would replace the page that has to report just
 * that.
 */
export function useStatus(loaded: StatusSummary): {
  status: StatusSummary;
  connection: Connection;
} {
  const clock = useClock();
  const [status, setStatus] = useState(loaded);
  const [connection, setConnection] = useState<Connection>({ state: 'starting' });
  useEffect(() => clock.set(Date.parse(loaded.at)), [clock, loaded]);
  usePolling(
    async (signal) => {
      try {
        const { trpc } = await import('#app/lib/trpc.client.ts');
        const newer = await trpc.status.summary.query(undefined, {
          signal: anySignal(signal, AbortSignal.timeout(TIMEOUT_MS)),
        });
        clock.set(Date.parse(newer.at));
        setStatus(newer);
        setConnection({ state: 'polling', everyMs: REFRESH_MS });
      } catch {
        if (!signal.aborted) setConnection({ state: 'stale', asOf: Date.parse(status.at) });
      }
    },
    { everyMs: REFRESH_MS },
  );
  return { status, connection };
}
