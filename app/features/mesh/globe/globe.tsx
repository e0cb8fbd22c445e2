import { forwardRef, lazy, Suspense, useEffect, useMemo, useSyncExternalStore } from 'react';
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

/** Remembers in this browser whether the visitor prefers the globe or the flat map. */
export function rememberView(view: MeshQuery['view']): void {
  try {
    if (view !== 'list') localStorage.setItem(KEY, view === 'map' ? 'flat' : view);
  } catch {
    // A browser that blocks storage forgets it.
  }
}

/** The view that the visitor prefers; null: none, or nothing is remembered. */
function rememberedView(): 'map' | 'globe' | null {
  try {
    const view = localStorage.getItem(KEY);
    return view === 'globe' ? 'globe' : view === 'flat' ? 'map' : null;
  } catch {
    return null;
  }
}

/** Where the map has a sheet, a flat world is too small to read: as the style sheets' `--sheet`. */
const SHEET = '(max-width: 1023px)';

const followDevice = (changed: () => void) => {
  const sheet = matchMedia(SHEET);
  sheet.addEventListener('change', changed);
  return () => sheet.removeEventListener('change', changed);
};

/**
 * What the page shows here. The plain page follows the device and the visitor's own choice: on a phone it is the globe.
 * Any other URL says what it shows.
 * @returns `ready` is false until the device is known: nothing is drawn before, so that only one view is loaded
 */
export function useViewHere(parsed: MeshQuery): {
  query: MeshQuery;
  ready: boolean;
  phone: boolean;
} {
  const navigate = useNavigate();
  const plain = useLocation().search === '';
  const device = useSyncExternalStore(
    followDevice,
    () => (matchMedia(SHEET).matches ? 'phone' : 'desktop'),
    () => null,
  );
  const remembered = useMemo(() => (device === null ? null : rememberedView()), [device]);
  useEffect(() => {
    const other = device === 'phone' ? 'map' : 'globe';
    if (!plain || device === null || rememberedView() !== other) return;
    void navigate(hrefs.map({ view: other }), { replace: true, preventScrollReset: true });
    // Only as the page opens: later, an empty query is the visitor's choice.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [device === null]);
  const query = useMemo((): MeshQuery => {
    if (device !== 'phone') return parsed;
    const view = plain ? (remembered ?? 'globe') : parsed.view;
    return { ...parsed, view, namesView: true };
  }, [parsed, device, plain, remembered]);
  return { query, ready: device !== null, phone: device === 'phone' };
}
