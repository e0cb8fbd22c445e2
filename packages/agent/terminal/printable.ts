/**
 * Texts that others have written, without what a terminal obeys or what makes a line read as another one: a label or an
 * error message must neither move the cursor, nor hide a part of a line, nor begin a new one.
 */

/** A sequence of ECMA-48: OSC and its like with all they contain, CSI with its parameters, and any other escape. */
const SEQUENCE =
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?|\x1b[\x20-\x2f]*[\x30-\x7e]?/g;
const BREAK = /[\t\n\v\f\r\x85\u2028\u2029]+/g;
/** Controls, marks of direction and what is not seen; joiners are letters of some scripts. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;
const PLAIN = /^[\x20-\x7e]*$/;

/** One line that can be printed. */
export const printable = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(SEQUENCE, '').replace(BREAK, ' ').replace(UNSEEN, '');

const ESCAPED = /[\x7f-\x9f\u2028\u2029]|\p{Cf}/gu;

/** JSON of any value, which says the same and can be printed. @param indent of its lines; none: one line */
export const printableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(ESCAPED, (text) =>
    text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
