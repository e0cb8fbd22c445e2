import type { ReactNode } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { useStaleRetry } from '#app/lib/page-refresh.ts';
import type { StaleReason } from '#app/lib/stale-while-offline.ts';
import { Page, type PageProps } from '#app/ui/page.tsx';
import text from '#app/ui/text.module.css';
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

interface ReviewPageProps extends PageProps {
  /** When the page's data was current, for the ages on it. */
  updatedAt?: string;
}

/** The frame of every page of the dashboard: its tabs, the reviewer's account, and whether the data is stale. */
export function ReviewPage({ updatedAt, className = '', children, ...page }: ReviewPageProps) {
  const stale = useStaleRetry();
  const pending = usePendingCount();
  return (
    <PageMoment.Provider value={updatedAt === undefined ? 0 : Date.parse(updatedAt)}>
      <Page
        {...page}
        className={`${styles.page} ${className}`}
        above={<ReviewBar pending={pending} />}
      >
        <div className={styles.content}>
          {stale && (
            <p className={text.secondary} role="status">
              {STALE[stale]}
            </p>
          )}
          {children}
        </div>
      </Page>
    </PageMoment.Provider>
  );
}
