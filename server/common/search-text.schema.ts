/**
 * The search text of a page's URL; empty if there is none. Control characters are removed: a one-line field
 * cannot send them, and the database refuses NUL. Free of zod, because the browser uses it too.
 * @param max characters
 */
export const searchText = (given: string | null, max: number): string =>
  (given ?? '')
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, max);
