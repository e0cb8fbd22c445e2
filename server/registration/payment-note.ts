import { randomInt } from 'node:crypto';
import {
  NOTE_ALPHABET,
  NOTE_SUFFIX_LENGTH,
} from '@mesh-registry/protocol/rest/payment-note.schema.ts';

/** What the payer needs: a unique note, and a link that carries it. */

export function newPaymentNote(name: string): string {
  const suffix = Array.from(
    { length: NOTE_SUFFIX_LENGTH },
    () => NOTE_ALPHABET[randomInt(NOTE_ALPHABET.length)],
  );
  return `MESH-${name}-${suffix.join('')}`;
}

/** `https://cash.app/$MeshDemo/5.00?note=MESH-garage-7K3QFA`. A path may contain the cashtag's `$` unencoded. */
export function payUrl(cashtag: string, feeCents: number, note: string): string {
  const path = encodeURIComponent(cashtag).replace('%24', '$');
  return `https://cash.app/${path}/${(feeCents / 100).toFixed(2)}?note=${encodeURIComponent(note)}`;
}
