import { forwardRef, lazy, Suspense } from 'react';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import card from '#app/ui/card.module.css';
import styles from '../map/map-view.module.css';
import type { GlobeProps } from './globe-view.tsx';

/** Loaded, with its styles, once it is chosen. */
const GlobeView = lazy(() =>
  import('./globe-view.tsx').catch(() => ({
    default: forwardRef<HTMLDivElement, GlobeProps>(GlobeFailed),
  })),
);

/** The network on a globe. Only for browsers: without scripts there is a list. */
export const Globe = forwardRef<HTMLDivElement, GlobeProps>(function Globe(props, ref) {
  if (!useHydrated()) return null;
  return (
    <Suspense>
      <GlobeView ref={ref} {...props} />
    </Suspense>
  );
});

function GlobeFailed() {
  return (
    <p className={`${card.floating} ${styles.failed}`} role="alert">
      The globe couldn’t be loaded. Reload the page to try again. The list view shows the same
      nodes.
    </p>
  );
}
