import { forwardRef, lazy, Suspense, useEffect } from 'react';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import card from '#app/ui/card.module.css';
import styles from '../map/map-view.module.css';
import type { DrawingProps } from '../map/use-drawing.ts';
import { useLocation, useNavigate } from '@remix-run/react';
import type { MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';

/** Loaded, with its styles, once it is chosen. */
const GlobeView = lazy(() =>
  import('./globe-view.tsx').catch(() => ({
    default: forwardRef<HTMLDivElement, DrawingProps>(GlobeFailed),
  })),
);

/** The network on a globe. Only for browsers: without scripts there is a list. */
export const Globe = forwardRef<HTMLDivElement, DrawingProps>(function Globe(props, ref) {
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

const KEY = 'map';

/** Remembers in this browser whether the visitor prefers the globe to the flat map. */
export function rememberView(view: MeshQuery['view']): void {
  try {
    if (view === 'globe') localStorage.setItem(KEY, 'globe');
    else if (view === 'map') localStorage.removeItem(KEY);
  } catch {
    // A browser that blocks storage forgets it.
  }
}

/** Shows the globe to a visitor who prefers it and opens the plain page. A link with choices shows what it says. */
export function useRememberedGlobe(): void {
  const navigate = useNavigate();
  const { search } = useLocation();
  useEffect(() => {
    try {
      if (search !== '' || localStorage.getItem(KEY) !== 'globe') return;
    } catch {
      return;
    }
    void navigate(hrefs.map({ view: 'globe' }), { replace: true, preventScrollReset: true });
    // Only as the page opens: later, an empty query is the visitor's choice.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
}
