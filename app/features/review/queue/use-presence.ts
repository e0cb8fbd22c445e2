import { useEffect } from 'react';
import type { RegistrationDetails } from '#server/review/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';

/** How often an open page renews its presence; well below the time after which it expires (ms). */
const RENEW_MS = 3 * 60_000;

/**
 * Shows the other reviewers which registration this page has open. Every tab does so for its own. Without scripts
 * the loader records it once, and it expires after some minutes.
 */
export function usePresence(open: Pick<RegistrationDetails, 'note' | 'viewer'> | null): void {
  const note = open?.note ?? null;
  // Also after another of our tabs closed it, or its viewer left.
  const free = open !== null && open.viewer === null;

  useEffect(() => {
    if (note === null) return;
    const markOpen = () =>
      void import('#app/lib/trpc.client.ts')
        .then(({ trpc }) => trpc.review.queue.markOpen.mutate({ note }))
        // Presence only: nothing depends on it.
        .catch(() => undefined);
    if (free) markOpen();
    const timer = setInterval(markOpen, RENEW_MS);
    return () => clearInterval(timer);
  }, [note, free]);

  useEffect(() => {
    if (note === null) return;
    const markClosed = () =>
      // Outlives the page.
      void fetch(hrefs.api.trpc('review.queue.markClosed'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ note }),
        keepalive: true,
      }).catch(() => undefined);
    window.addEventListener('pagehide', markClosed);
    return () => {
      window.removeEventListener('pagehide', markClosed);
      markClosed();
    };
  }, [note]);
}
