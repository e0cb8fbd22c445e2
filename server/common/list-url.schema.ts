/** The state of a list in its page's URL. Free of zod, because the browser uses it too. */

/** The page that a URL asks for, from 1. It may be beyond the last one. */
export function pageIn(query: URLSearchParams): number {
  const page = query.get('page') ?? '';
  return /^\d{1,9}$/.test(page) ? Math.max(1, Number(page)) : 1;
}

/** The URL of a list. @param state what is empty is left out, and so is the first page */
export function listHref(
  path: string,
  {
    page = 1,
    ...state
  }: { page?: number | undefined; [name: string]: string | number | null | undefined },
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) if (value) query.set(name, String(value));
  if (page > 1) query.set('page', String(page));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
