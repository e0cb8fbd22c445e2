import { lazy, Suspense, useEffect } from 'react';
import { PageStatus } from '#app/features/live/connection-status.tsx';
import text from '#app/ui/text.module.css';
import type { ReplayBarProps } from './replay-bar.tsx';

const LazyBar = lazy(() =>
  import('./replay-bar.tsx').then(
    ({ ReplayBar }) => ({ default: ReplayBar }),
    () => ({ default: ReplayFailed }),
  ),
);

/** The bar of the replay, below the map. It is loaded once it is opened. */
export function Replay(props: ReplayBarProps) {
  const { onShow } = props;
  useEffect(() => () => onShow(null), [onShow]);
  return (
    <Suspense>
      <LazyBar {...props} />
    </Suspense>
  );
}

const ReplayFailed = () => (
  <p className={text.secondary} role="alert">
    The replay couldn’t be loaded. Reload the page to try again.
  </p>
);

/** In the header, in place of whether the page is live. */
export const ReplayStatus = () => <PageStatus state="stale">Replay</PageStatus>;
