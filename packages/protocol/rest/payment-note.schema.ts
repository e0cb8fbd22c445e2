/**
 * Payment notes: how one is written, and how one is found in what a payer typed. Safe for the browser: free of zod
 * and of Node.
 */

/** No 0 O 1 I L, 5 S, 2 Z, 8 B, U V: a note is read off one screen and typed into another. */
export const NOTE_ALPHABET = '34679ACDEFGHJKMNPQRTWXY';
export const NOTE_SUFFIX_LENGTH = 6;

/** How every payment note begins. */
export const NOTE_PREFIX = 'MESH';

export const NOTE_FORMAT = `MESH-<name>-<${NOTE_SUFFIX_LENGTH} characters>`;

const NOTE_IN_TEXT = new RegExp(
  `(?<![A-Z0-9_-])MESH-[A-Z0-9][A-Z0-9_-]{0,31}-[${NOTE_ALPHABET}]{${NOTE_SUFFIX_LENGTH}}(?![A-Z0-9_-])`,
  'i',
);

/** The payment note in a payer's text, in upper case for comparisons; null if there is none. */
export function noteKey(text: string): string | null {
  return NOTE_IN_TEXT.exec(text)?.[0].toUpperCase() ?? null;
}

/** The payment note that has this key: the name in lower case, the rest in upper case. */
export function noteFromKey(key: string): string {
  const name = key.slice('MESH-'.length, -(NOTE_SUFFIX_LENGTH + 1));
  return `MESH-${name.toLowerCase()}${key.slice(-(NOTE_SUFFIX_LENGTH + 1))}`;
}

/** A payment note in its canonical spelling, whatever letter case was typed; null if `text` is anything else. */
export function canonicalNote(text: string): string | null {
  const key = noteKey(text);
  return key !== null && key === text.toUpperCase() ? noteFromKey(key) : null;
}
