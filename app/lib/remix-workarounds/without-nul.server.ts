/**
 * React 18 leaves one or two NUL bytes where a character does not fit into the rest of its buffer
 * (https://github.com/facebook/react/issues/24985); in attributes and scripts a browser shows them as �. A page has no
 * others: all input is refused that has some. It can go with a React that has mended the issue.
 */
export const withoutNul = (html: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  html.includes(0) ? html.filter((byte) => byte !== 0) : html;
