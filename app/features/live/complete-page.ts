import { useLocation, type ShouldRevalidateFunction } from '@remix-run/react';
import { useEffect } from 'react';
import { openPageData, rememberPage } from '#app/lib/open-page.client.ts';

/**
 * A page that has all rows of its list needs no server for another filter, and so works offline. Use both in
 * one route: the hook in its page, and `export { unlessComplete as shouldRevalidate }`.
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
