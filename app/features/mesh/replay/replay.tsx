import { useEffect, useState } from 'react';
import connection from '#app/features/live/connection-status.module.css';
import card from '#app/ui/card.module.css';
import failedStyles from '../map/map-view.module.css';
import type { ReplayBar, ReplayBarProps } from './replay-bar.tsx';

/** The bar of the replay, over the lower end of the map. It is loaded once it is opened. */
export function Replay(props: ReplayBarProps) {
  const { onShow } = props;
  const [Bar, setBar] = useState<{ of: typeof ReplayBar } | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let unmounted = false;
    import('./replay-bar.tsx').then(
      ({ ReplayBar }) => !unmounted && setBar({ of: ReplayBar }),
      () => !unmounted && setFailed(true),
    );
    return () => {
      unmounted = true;
      onShow(null);
    };
  }, [onShow]);
  if (Bar) return <Bar.of {...props} />;
  return failed ? (
    <p className={`${card.floating} ${failedStyles.failed}`} role="alert">
      The replay couldn’t be loaded. Reload the page to try again.
    </p>
  ) : null;
}

/** In the header, in place of whether the page is live. */
export const ReplayStatus = () => (
  <p className={`${connection.status} ${connection['stale'] ?? ''}`} role="status">
    <span className={connection.dot} aria-hidden />
    <span>Replay</span>
  </p>
);
