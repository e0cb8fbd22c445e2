import { useEffect, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { serviceAway, type Away } from '#app/lib/service-away.ts';
import button from '#app/ui/button.module.css';
import { Countdown } from '#app/ui/countdown.tsx';
import { LineIcon } from '#app/ui/icons.tsx';
import { ExactTime } from '#app/ui/moment.tsx';
import { NEWS } from '#app/ui/site-header.tsx';
import styles from './service-banner.module.css';

/** What is to be said while the service doesn't answer; else null. */
export const useServiceAway = (): Away | null =>
  useSyncExternalStore(serviceAway.subscribe, serviceAway.snapshot, () => null);

/** Below the header, while the service doesn't answer: what the page shows meanwhile, and when it asks again. */
export function ServiceBanner() {
  const away = useServiceAway();
  const place = away && document.getElementById(NEWS);
  return place && createPortal(<Banner away={away} />, place);
}

function Banner({ away: { offline, asOf, nextAt } }: { away: Away }) {
  const [banner, setBanner] = useState<HTMLDivElement | null>(null);
  useEffect(() => (banner ? takePlace(banner) : undefined), [banner]);
  const shown = asOf !== null && (
    <>
      {' Showing data from '}
      <ExactTime at={new Date(asOf).toISOString()} precision="clock" />.
    </>
  );
  return (
    <div ref={setBanner} className={styles.banner} data-offline={offline || undefined}>
      <LineIcon
        path={offline ? 'M10 3a7 7 0 1 1 0 14a7 7 0 1 1 0 -14M10 9.2v4.4M10 6.3v.3' : AGAIN}
        size={18}
      />
      <p>
        <strong>{offline ? 'You’re offline.' : 'The service is restarting.'}</strong>
        {shown}
        {offline ? (
          ' It updates when you’re back online.'
        ) : (
          // Screen readers are told once, not every second.
          <span aria-hidden>
            {' '}
            <Countdown to={nextAt} />
          </span>
        )}
      </p>
      {!offline && (
        <button type="button" className={button.button} onClick={serviceAway.askNow}>
          Try now
        </button>
      )}
    </div>
  );
}

const AGAIN = 'M15.5 8A6 6 0 1 0 16 11.5M16 4v4h-4';

/** Says what its place is now, and tells the map, which fills the window, how much of it is taken. */
function takePlace(banner: HTMLElement): () => void {
  const place = banner.parentElement;
  place?.setAttribute('role', 'status');
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() =>
    style.setProperty('--banner', `${banner.offsetHeight}px`),
  );
  observer.observe(banner);
  return () => {
    place?.removeAttribute('role');
    observer.disconnect();
    style.removeProperty('--banner');
  };
}
