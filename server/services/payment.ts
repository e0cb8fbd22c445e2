import { randomInt } from 'node:crypto';

/** What the payer needs: the exact note, and a link that carries it. */

/** No 0 O 1 I L, 5 S, 2 Z, 8 B, U V: a note is read off one screen and typed into another. */
const ALPHABET = '34679ACDEFGHJKMNPQRTWXY';
const SUFFIX_LENGTH = 6;

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
