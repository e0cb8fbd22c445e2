import { NAME_MAX } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { CONFUSABLES } from './confusables.ts';

/** What passes for the bootstrap peer, Genesis, although it is written otherwise. */

const LIKE = new Map(
  Object.entries(CONFUSABLES).flatMap(([letter, codes]) =>
    codes.split(' ').map((code) => [String.fromCodePoint(Number.parseInt(code, 16)), letter]),
  ),
);
const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * The text in the Latin letters that it looks like, by the skeleton of UTS 39: marks and everything invisible are left
 * out. Letters that look like none stay.
 * @param text normalized by NFKC
 */
function latinSkeleton(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  const letters = text.normalize('NFKD').replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '');
  return letters.replace(
    /[^\0-\x7f]/gu,
    (letter) => LIKE.get(letter) ?? LIKE.get(letter.toUpperCase()) ?? letter,
  );
}

/** Its letters, and digits that are read as them. Between them stands anything but letters and digits. */
const GENESIS = ['[g69]', '[e3]', 'n', '[e3]', '[s5]', '[il1]', '[s5]'];
const LOOKS_LIKE_GENESIS = new RegExp(
  `^[^\\p{L}]*${GENESIS.join('[^\\p{L}\\p{Nd}]*')}[^\\p{L}]*$`,
  'iu',
);

/**
 * Whether a label or a name is read as “Genesis”: in letters of any script, with digits instead of letters, with blanks
 * or punctuation in it, or with a number.
 * @param text normalized by NFKC, at most some hundred characters
 */
export const looksLikeGenesis = (text: string): boolean =>
  LOOKS_LIKE_GENESIS.test(latinSkeleton(text));

/** What a name may have at its end without reading as another one. */
export const SUFFIXES = ['node', 'hub', 'net'];
const DECORATIONS = [/^my[-_]/, new RegExp(`[-_](?:${SUFFIXES.join('|')})$`), /[-_]?(?<!\d)\d+$/];

/** What is left of a name without its prefix, suffixes and numbers, in every combination. Nothing of what is too long for one. */
export function undecorated(name: string): string[] {
  if (name.length > NAME_MAX) return [];
  const found = new Set<string>([name]);
  for (const each of found)
    for (const decoration of DECORATIONS) {
      const core = each.replace(decoration, '');
      if (core !== '') found.add(core);
    }
  found.delete(name);
  return [...found];
}

/** Whether a name passes for that of the bootstrap peer, also with a number or a suffix. @param name normalised */
export const passesForGenesis = (name: string): boolean =>
  looksLikeGenesis(name) || undecorated(name).some(looksLikeGenesis);
