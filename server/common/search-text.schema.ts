/**
 * What a page's address says is searched for; empty: nothing. Without the control characters that a box for
 * one line cannot send; NUL is one of them, which the database refuses. Free of zod, because the browser reads it too.
 * @param max characters
 */
export const searchText = (given: string | null, max: number): string =>
  (given ?? '')
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, max);
