import { randomInt } from 'node:crypto';

/** What the payer needs: the exact note, and a link that carries it. */

/** No 0 O 1 I L, 5 S, 2 Z, 8 B, U V: a note is read off one screen and typed into another. */
const ALPHABET = '34679ACDEFGHJKMNPQRTWXY';
const SUFFIX_LENGTH = 6;

/** Every payment note begins so. */
export const NOTE_BEGIN = 'MESH';

export const NOTE_FORMAT = `MESH-<name>-<${SUFFIX_LENGTH} characters>`;

export function paymentNote(name: string): string {
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `MESH-${name}-${suffix.join('')}`;
}

/** `https://cash.app/$MeshDemo/5.00?note=MESH-garage-7K3QFA`. The cashtag's `$` may stand in a path as it is. */
export function payUrl(cashtag: string, feeCents: number, note: string): string {
  const path = encodeURIComponent(cashtag).replace('%24', '$');
  return `https://cash.app/${path}/${(feeCents / 100).toFixed(2)}?note=${encodeURIComponent(note)}`;
}

const NOTE_IN_TEXT = new RegExp(
  `(?<![A-Z0-9_-])MESH-[A-Z0-9][A-Z0-9_-]{0,31}-[${ALPHABET}]{${SUFFIX_LENGTH}}(?![A-Z0-9_-])`,
  'i',
);

/** The payment note in what a payer wrote, in upper case, to compare by; null where there is none. */
export function noteKey(text: string): string | null {
  return NOTE_IN_TEXT.exec(text)?.[0].toUpperCase() ?? null;
}

/** The payment note that has this key: the name in lower case, the rest in upper case. */
export function noteOf(key: string): string {
  const name = key.slice('MESH-'.length, -(SUFFIX_LENGTH + 1));
  return `MESH-${name.toLowerCase()}${key.slice(-(SUFFIX_LENGTH + 1))}`;
}

/** A payment note as we write it, where nothing but one is given, in any case of letters; else null. */
export function writtenNote(text: string): string | null {
  const key = noteKey(text);
  return key !== null && key === text.toUpperCase() ? noteOf(key) : null;
}
