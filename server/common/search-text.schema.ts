/** A text of a URL that is longer than this many times its maximum is cut before it is read. */
const CUT_AT = 4;

/**
 * The search text of a URL; empty if there is none. Control characters are removed: a one-line field cannot send them,
 * and the database refuses NUL.
 * @param max characters
 */
export const searchText = (given: string | null, max: number): string =>
  (given ?? '')
    .slice(0, CUT_AT * max)
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, max);

/** The pattern of `like` and `ilike` for what contains the text. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
