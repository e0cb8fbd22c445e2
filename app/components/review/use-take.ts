import { useEffect, useRef } from 'react';

/**
 * Tells the other reviewers which registration this page has open, and that it has none any more when it
 * goes on or away. Without scripts the loader tells the first, and nobody the second: it counts for some
 * minutes.
 */
export function useTake(open: string | null): void {
  const had = useRef<string | null>(null);
  useEffect(() => {
    if (had.current === open) return;
    had.current = open;
    void import('../../trpc.client.ts')
      .then(({ trpc }) =>
        open === null
          ? trpc.review.queue.putBack.mutate()
          : trpc.review.queue.take.mutate({ note: open }),
      )
      // Presence only: nothing depends on it.
      .catch(() => undefined);
  }, [open]);

  useEffect(() => {
    const leave = () => {
      if (had.current === null) return;
      had.current = null;
      // Outlives the page.
      void fetch('/api/trpc/review.queue.putBack', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        keepalive: true,
      }).catch(() => undefined);
    };
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
}
