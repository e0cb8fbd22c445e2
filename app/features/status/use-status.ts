import { useEffect, useState } from 'react';
import type { StatusSummary } from '#server/status/index.ts';
import { serverNow, setServerMoment } from '#app/lib/clock.ts';
import type { Connection } from '#app/features/live/live-store.ts';

const REFRESH_MS = 10_000;
/** An answer that takes longer than this counts as none (ms). */
const LIMIT_MS = 8000;

/**
 * The state as the server rendered it, then asked for again while the page can be seen. Not by running
 * the loader again: when the server is away a loader's failure takes the page, and this is the page
 * that has to say so.
 */
export function useStatus(loaded: StatusSummary): {
  status: StatusSummary;
  connection: Connection;
} {
  const [status, setStatus] = useState(loaded);
  const [connection, setConnection] = useState<Connection>({ state: 'starting' });

  useEffect(() => {
    setServerMoment(Date.parse(loaded.at));
    const left = new AbortController();
    let answeredAt = Date.parse(loaded.at);
    let timer: ReturnType<typeof setTimeout> | undefined;

    const refresh = async () => {
      clearTimeout(timer);
      if (document.hidden) return;
      const asked = new AbortController();
      const signal = AbortSignal.any([left.signal, asked.signal, AbortSignal.timeout(LIMIT_MS)]);
      try {
        const { trpc } = await import('#app/lib/trpc.client.ts');
        const newer = await trpc.status.summary.query(undefined, { signal });
        answeredAt = Date.parse(newer.at);
        setServerMoment(answeredAt);
        setStatus(newer);
        setConnection({ state: 'polling' });
      } catch {
        if (left.signal.aborted) return;
        setConnection({ state: 'stale', asOf: answeredAt });
      }
      later();
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void refresh(), REFRESH_MS);
    };
    // A page that is looked at again is right again at once.
    const shown = () => {
      if (!document.hidden && serverNow() - answeredAt >= REFRESH_MS) void refresh();
    };
    later();
    setConnection({ state: 'polling' });
    document.addEventListener('visibilitychange', shown, { signal: left.signal });
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [loaded]);

  return { status, connection };
}
