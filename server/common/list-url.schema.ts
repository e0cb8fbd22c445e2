/** The state of a list in its page's URL. Free of zod, because the browser uses it too. */

/** The page that a URL asks for, from 1. It may be beyond the last one. */
export function pageIn(query: URLSearchParams): number {
  const page = query.get('page') ?? '';
  return /^\d{1,9}$/.test(page) ? Math.max(1, Number(page)) : 1;
}

/** What a list is sorted by, and in which direction. */
export interface Order<Sort extends string> {
  sort: Sort;
  descending: boolean;
}

/** The order that `sort` of a URL asks for: a column, after `-` in descending order. @param first the one of a plain URL */
export function orderIn<Sort extends string>(
  text: string | null,
  sorts: readonly Sort[],
  first: Sort,
): Order<Sort> {
  const asked = text?.replace(/^-/, '');
  const sort = sorts.find((known) => known === asked);
  return { sort: sort ?? first, descending: sort !== undefined && text?.startsWith('-') === true };
}

/** The order as a URL has it. */
export const orderText = ({ sort, descending }: Order<string>): string =>
  `${descending ? '-' : ''}${sort}`;

/**
 * The order after a click on a column: by it, or the other way round if the list is sorted by it already.
 * @param fromMost columns that begin with the most, or with what is newest
 */
export const orderAfterClick = <Sort extends string>(
  order: Order<Sort>,
  sort: Sort,
  fromMost: readonly Sort[],
): Order<Sort> => ({
  sort,
  descending: order.sort === sort ? !order.descending : fromMost.includes(sort),
});

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
