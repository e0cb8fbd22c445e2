/**
 * React 18 leaves one or two NUL bytes where a character does not fit into the rest of its buffer
 * (https://github.com/facebook/react/issues/24985); in attributes and scripts a browser shows them as �. A page has no
 * others: all input is refused that has some. It can go with a React that has mended the issue.
 */
export const withoutNul = (piece: Uint8Array): Uint8Array =>
  piece.includes(0) ? piece.filter((byte) => byte !== 0) : piece;
