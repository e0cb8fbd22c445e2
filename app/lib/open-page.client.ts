/**
 * The page that is open in this tab: its path and its loader's data. A clientLoader runs outside of React
 * and has no other way to reach them. Modules named `.client` don't exist on the server, so this can never
 * be shared between visitors.
 */
let openPage: { pathname: string; data: object } | undefined;

/** @returns forgets it again, for useEffect */
export function rememberPage(pathname: string, data: object): () => void {
  const page = { pathname, data };
  openPage = page;
  return () => {
    if (openPage === page) openPage = undefined;
  };
}

/** The data of the open page, if it is the page at this path. */
export const openPageData = (pathname: string): object | undefined =>
  openPage?.pathname === pathname ? openPage.data : undefined;

/** Pages that were shown in this tab, by path and query, the oldest first: Back leads to them while nothing answers. */
const shown = new Map<string, object>();
const SHOWN_MAX = 10;

export function keepShown(href: string, data: object): void {
  shown.delete(href);
  shown.set(href, data);
  const [oldest] = shown.keys();
  if (shown.size > SHOWN_MAX && oldest !== undefined) shown.delete(oldest);
}

export const shownData = (href: string): object | undefined => shown.get(href);
