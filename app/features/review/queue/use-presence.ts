import { useEffect } from 'react';
import type { Opened } from '#server/review/review-desk.ts';

/** How often an open page says so again; well below the time after which it no longer counts (ms). */
const RENEW_MS = 3 * 60_000;

/**
 * Tells the other reviewers which registration this page has open, for as long as it has. Every tab does
 * so for its own. Without scripts the loader tells it once, and nobody takes it back: it counts for some
 * minutes.
 */
export function useTake(open: Pick<Opened, 'note' | 'take'> | null): void {
  const note = open?.note ?? null;
  // Also where another tab of ours put it back, or whoever had it went away.
  const free = open !== null && open.take === null;

  useEffect(() => {
    if (note === null) return;
    const take = () =>
      void import('#app/lib/trpc.client.ts')
        .then(({ trpc }) => trpc.review.queue.take.mutate({ note }))
        // Presence only: nothing depends on it.
        .catch(() => undefined);
    if (free) take();
    const timer = setInterval(take, RENEW_MS);
    return () => clearInterval(timer);
  }, [note, free]);

  useEffect(() => {
    if (note === null) return;
    const putBack = () =>
      // Outlives the page.
      void fetch('/api/trpc/review.queue.putBack', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ note }),
        keepalive: true,
      }).catch(() => undefined);
    window.addEventListener('pagehide', putBack);
    return () => {
      window.removeEventListener('pagehide', putBack);
      putBack();
    };
  }, [note]);
}
