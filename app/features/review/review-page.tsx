import { useMatches } from '@remix-run/react';
import type { ReactNode } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { SIGNED_OUT_MS, useReload, useRememberPage } from '#app/lib/page-refresh.ts';
import { usePolling } from '#app/lib/polling.ts';
import { staleReason, type StaleReason } from '#app/lib/stale-while-offline.ts';
import { Page, type PageProps } from '#app/ui/page.tsx';
import text from '#app/ui/text.module.css';
import { UndoElsewhere } from './queue/recent-decisions.tsx';
import { usePendingCount } from './pending-count.tsx';
import { ReviewBar } from './review-bar.tsx';
import styles from './review-page.module.css';

const STALE: Record<StaleReason, ReactNode> = {
  offline:
    'The service isn’t answering. This page shows the last data it received and keeps trying.',
  'signed-out': (
    <>
      Your session has ended. This page stays as it was;{' '}
      <a href={hrefs.signIn()} target="_blank" rel="noopener">
        sign in again
      </a>{' '}
      in a new tab to continue.
    </>
  ),
};

interface ReviewPageProps extends Omit<PageProps, 'above' | 'className'> {
  /** When the page's data was current, for the ages on it. */
  updatedAt?: string;
  /** It shows by itself what the reviewer can undo. */
  undoes?: boolean;
  /** Its content fills the window, and scrolls by itself. */
  fills?: boolean;
}

/** The frame of every page of the dashboard: its tabs, the reviewer's account, and whether the data is stale. */
export function ReviewPage(props: ReviewPageProps) {
  const { updatedAt, undoes = false, fills = false, children, ...page } = props;
  const stale = useStaleRetry();
  const pending = usePendingCount();
  return (
    <PageMoment.Provider value={updatedAt === undefined ? 0 : Date.parse(updatedAt)}>
      <Page
        {...page}
        className={`${styles.page} ${fills ? styles.fills : ''}`}
        above={
          <div className={styles.above}>
            <ReviewBar pending={pending} />
          </div>
        }
      >
        <div className={styles.content}>
          {stale && (
            <p className={text.secondary} role="status">
              {STALE[stale]}
            </p>
          )}
          {children}
          {!undoes && <UndoElsewhere />}
        </div>
      </Page>
    </PageMoment.Provider>
  );
}

/** How often a page that shows old data asks again (ms). */
const RETRY_MS: Record<StaleReason, number> = { offline: 5000, 'signed-out': SIGNED_OUT_MS };

/**
 * Keeps the open page (lib/stale-while-offline.ts), and loads it again while it shows old data: every few
 * seconds, and when somebody comes back to the tab, perhaps from signing in in another one.
 * @returns why it shows old data
 */
function useStaleRetry(): StaleReason | undefined {
  const data = useMatches().at(-1)?.data;
  const stale = staleReason(data);
  const reload = useReload();
  useRememberPage(data);
  usePolling(reload, { everyMs: stale ? RETRY_MS[stale] : null, onFocus: true });
  return stale;
}
