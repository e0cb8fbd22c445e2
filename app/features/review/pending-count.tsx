import { useLocation, useNavigation } from '@remix-run/react';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';

/** How many registrations wait for a decision: beside the way to the queue, and in the title of every tab of /review. */
interface Undecided {
  undecided: number;
  tell: (undecided: number) => void;
}
const Context = createContext<Undecided>({ undecided: 0, tell: () => undefined });

/** A page that does not show the queue asks this often, also in a tab that nobody sees (ms). */
const EVERY_MS = 20_000;

/** @param loaded how many there were when the page was made */
export function UndecidedProvider({ loaded, children }: { loaded: number; children: ReactNode }) {
  const [undecided, tell] = useState(loaded);
  // The queue's page tells by itself, sooner. A form that was sent may have decided something.
  const sending = useNavigation().formMethod === 'POST';
  const asks = useLocation().pathname !== '/review' && !sending;
  useEffect(() => {
    if (!asks) return;
    let left = false;
    const ask = () =>
      void import('#app/lib/trpc.client.ts')
        .then(({ trpc }) => trpc.review.queue.countUndecided.query())
        .then(
          (now) => left || tell(now),
          // The page itself says that the service does not answer, or that the session has ended.
          () => undefined,
        );
    const seen = () => document.visibilityState === 'visible' && ask();
    ask();
    const timer = setInterval(ask, EVERY_MS);
    document.addEventListener('visibilitychange', seen);
    return () => {
      left = true;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [asks]);
  const value = useMemo(() => ({ undecided, tell }), [undecided]);
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

export function useTellUndecided(undecided: number): void {
  const { tell } = useContext(Context);
  useEffect(() => tell(undecided), [tell, undecided]);
}

/** A title with the count before it. */
export const counted = (undecided: number, title: string): string =>
  undecided > 0 ? `(${undecided}) ${title}` : title;

/** Puts the count before the title that the page has. */
export function useUndecidedInTitle(): number {
  const { undecided } = useContext(Context);
  // After every step: the page's own title may have changed with it.
  useEffect(() => {
    document.title = counted(undecided, document.title.replace(/^\(\d+\) /, ''));
  });
  return undecided;
}
