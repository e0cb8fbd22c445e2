import { useLocation, type ShouldRevalidateFunction } from '@remix-run/react';
import { useEffect } from 'react';
import { openPageData, rememberPage } from '#app/lib/open-page.client.ts';

/**
 * Once a page has every row of its list, it filters in the browser without asking the server, and so works
 * offline. A route uses both: the hook in its page, and `export { unlessComplete as shouldRevalidate }`.
 */
export function useCompletePage(complete: boolean): void {
  const { pathname } = useLocation();
  useEffect(
    () => (complete ? rememberPage(pathname, { complete }) : undefined),
    [pathname, complete],
  );
}

export const unlessComplete: ShouldRevalidateFunction = ({ currentUrl }) =>
  openPageData(currentUrl.pathname) === undefined;
