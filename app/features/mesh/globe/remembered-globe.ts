import { useLocation, useNavigate } from '@remix-run/react';
import { useEffect } from 'react';
import type { MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';

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
