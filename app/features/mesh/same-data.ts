import type { ShouldRevalidateFunction } from '@remix-run/react';
import { unlessComplete } from '#app/features/live/use-live.ts';
import { meshHref, parseMeshQuery } from '#server/mesh/mesh-query.schema.ts';

/** The part of a URL that the data of the page depend on: what is drawn of them, and where, is the browser's. */
function askedBy({ searchParams }: URL): string {
  const { view, ...query } = parseMeshQuery(searchParams);
  const drawn = { map: null, folded: false, replay: null, namesView: false };
  return meshHref({ ...query, ...drawn, view: view === 'list' ? 'list' : 'map' });
}

/** Another view of the same data, such as the globe that a visitor prefers, asks the server nothing. */
export const unlessSame: ShouldRevalidateFunction = (args) => {
  const { currentUrl, nextUrl } = args;
  const moved = currentUrl.pathname === nextUrl.pathname && currentUrl.search !== nextUrl.search;
  return moved && askedBy(currentUrl) === askedBy(nextUrl) ? false : unlessComplete(args);
};
