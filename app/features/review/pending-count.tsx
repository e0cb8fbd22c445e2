import { useLocation, useNavigation } from '@remix-run/react';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import { usePolling } from '#app/lib/polling.ts';

/** How many registrations wait for a decision: beside the queue's tab, and in the title of every page of /review. */
interface PendingCount {
  pending: number;
  setPending: (pending: number) => void;
}
const PendingCountContext = createContext<PendingCount>({
  pending: 0,
  setPending: () => undefined,
});

/** How often a page that doesn't show the queue asks for the count, in the background too (ms). */
const POLL_MS = 20_000;

/** @param initial the count at the moment the page was made */
export function PendingCountProvider(props: { initial: number; children: ReactNode }) {
  const { initial, children } = props;
  const [pending, setPending] = useState(initial);
  // The queue's own page reports the count sooner. A form being sent may be about to change it.
  const sending = useNavigation().formMethod === 'POST';
  const polls = useLocation().pathname !== hrefs.review.queue() && !sending;
  usePolling(
    async (signal) => {
      try {
        const { trpc } = await import('#app/lib/trpc.client.ts');
        const count = await trpc.review.queue.countWaiting.query();
        if (!signal.aborted) setPending(count);
      } catch {
        // There is no answer, or the session has ended: the page itself reports that.
      }
    },
    { everyMs: polls ? POLL_MS : null, hiddenMs: POLL_MS, immediately: true },
  );
  const value = useMemo(() => ({ pending, setPending }), [pending]);
  return <PendingCountContext.Provider value={value}>{children}</PendingCountContext.Provider>;
}

/** For a page that knows the count itself. */
export function useReportPendingCount(pending: number): void {
  const { setPending } = useContext(PendingCountContext);
  useEffect(() => setPending(pending), [setPending, pending]);
}

/** A title with the count in front: "(3) Review queue". */
export const titleWithCount = (pending: number, title: string): string =>
  pending > 0 ? `(${pending}) ${title}` : title;

/** Puts the count in front of the page's title, and returns it. */
export function usePendingCount(): number {
  const { pending } = useContext(PendingCountContext);
  // After every render: navigation may have set another title.
  useEffect(() => {
    document.title = titleWithCount(pending, document.title.replace(/^\(\d+\) /, ''));
  });
  return pending;
}
