import anyAscii from 'any-ascii';
import { SentName, NAME_MAX } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { requireCurrent, whyUnavailable, type NamesContext } from './availability.ts';
import { SUFFIXES, undecorated } from './look-alikes.ts';

/** Length of the list. */
const LIMIT = 4;

/**
 * Names that somebody would want instead of one that is not available, at most four: what was typed, joined or
 * shortened, then with a place or a word after it, and with a number last. Each could be registered now, and none
 * reads as a reserved name: "admin-lab" would pass for something of the network's. The same registry always gives the
 * same list.
 * @param raw any text; without a readable name in it the list is empty
 * @param near texts that say more about what is named, such as its place or the label of its node
 * @throws AppError `unavailable`
 */
export function alternatives(
  context: NamesContext,
  raw: string,
  near: readonly string[] = [],
  now = context.clock(),
): string[] {
  const similar = similarNames(raw, near);
  if (similar === null) return [];
  requireCurrent(context);
  const isReserved = (name: string) =>
    readings(name).some((reading) => context.reservedNames.isReserved(reading, now));
  const { stem, words, numbers } = similar;
  const stemIsReserved = isReserved(stem);
  const isFree = (name: string) =>
    whyUnavailable(context, name, now) === null &&
    !isReserved(name) &&
    !(stemIsReserved && name.startsWith(stem));
  const number = numbers.find(isFree);
  const last = number === undefined ? [] : [number];
  const found: string[] = [];
  for (const name of words) {
    if (found.length === LIMIT - last.length) break;
    if (isFree(name)) found.push(name);
  }
  return [...found, ...last];
}

/** What may stand after the typed words. */
const WORDS = ['lab', 'rack', 'box', 'yard'];
/** A name that ends with one of these has its suffix already. */
const SUFFIX = new RegExp(`[-_](?:${[...SUFFIXES, ...WORDS].join('|')})$`);
const NUMBER = /[-_]?(?<!\d)\d+$/;

export interface SimilarNames {
  /** What was typed, without a number or a suffix at its end. */
  stem: string;
  /** The most similar first. */
  words: string[];
  /** The stem with a number. */
  numbers: string[];
}

/** Valid names similar to `raw`, without `raw` itself; null if it cannot be read as a name. */
export function similarNames(raw: string, near: readonly string[] = []): SimilarNames | null {
  const parsed = SentName.safeParse(raw);
  const base = parsed.success ? parsed.data : readableName(raw);
  if (base === null) return null;
  const unnumbered = base.replace(NUMBER, '') || base;
  const typed = unnumbered.replace(SUFFIX, '').split(/(?<=[-_])(?=[^-_])/);
  // No word twice.
  const kept = typed.filter((part, at) => typed.findIndex((other) => same(other, part)) === at);
  const stem = trimmed(kept.join(''));
  const parts = stem.split(/[-_]+/);
  const after = (word: string) => (parts.includes(word) ? '' : withSuffix(stem, `-${word}`));
  const valid = (names: string[]) =>
    names.filter(
      (name, at) =>
        SentName.safeParse(name).success &&
        !(parsed.success && name === base) &&
        names.indexOf(name) === at,
    );
  const words = valid([
    base,
    unnumbered,
    stem,
    stem.replace(/^(?:my|the)[-_]/, ''),
    parts.join(''),
    ...near.map((text) => after(endOf(text))),
    ...WORDS.map(after),
  ]);
  const numbers = valid([2, 3, 4, 5, 6, 7, 8, 9].map((number) => withSuffix(stem, `-${number}`)));
  return { stem, words, numbers: numbers.filter((name) => !words.includes(name)) };
}

const same = (one: string, other: string) => trimmed(one) === trimmed(other);

/** A text as the end of a name, without a number of its own. */
const endOf = (text: string): string => (readableName(text) ?? '').replace(NUMBER, '');

/** Digits that are read as letters. */
const READ_AS: [string, string][] = [
  ['0', 'o'],
  ['1', 'i'],
  ['1', 'l'],
  ['3', 'e'],
  ['4', 'a'],
  ['5', 's'],
];

/** What a name may be read as: without what decorates it, without separators, with letters for digits. */
function readings(name: string): string[] {
  const cores = plainNames(name);
  const joined = cores.map((core) => core.replace(/[-_]/g, ''));
  const lettered = [...cores, ...joined].flatMap((core) =>
    ['i', 'l'].map((one) =>
      READ_AS.filter(([digit, letter]) => digit !== '1' || letter === one).reduce(
        (text, [digit, letter]) => text.replaceAll(digit, letter),
        core,
      ),
    ),
  );
  return [...new Set([...cores, ...joined, ...lettered])];
}

/** A name, and what is left of it without what decorates it and the words that are suggested, in every combination. */
function plainNames(name: string): string[] {
  const found = new Set([name]);
  for (const each of found)
    for (const core of [each.replace(SUFFIX, ''), ...undecorated(each)])
      if (core !== '') found.add(core);
  return [...found];
}

const withSuffix = (stem: string, suffix: string) =>
  trimmed(stem.slice(0, NAME_MAX - suffix.length)) + suffix;

const trimmed = (text: string) => text.replace(/^[-_]+|[-_]+$/g, '');

/**
 * Scripts with one reading in Latin letters. Others are left out because the result would be nonsense:
 * Arabic and Hebrew do not write their vowels, and the reading of Han characters depends on the language.
 */
const READABLE =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hangul}]$/u;

/** "Søren’s Garage!" → "sorens-garage": the text as a name; null if it cannot be read as one. */
function readableName(raw: string): string | null {
  // Long enough for any name, and short enough to be quick.
  const text = raw.slice(0, 4 * NAME_MAX).normalize('NFKC');
  const letters = text.match(/\p{L}/gu) ?? [];
  if (!letters.every((letter) => READABLE.test(letter))) return null;
  const name = trimmed(
    anyAscii(text.replace(/['’ʼ]/g, '').replace(/[^\p{L}\p{M}\p{Nd}_-]+/gu, '-'))
      .toLowerCase()
      .replace(/[^a-z0-9_-]/g, '')
      .replace(/-{2,}/g, '-'),
  );
  return name === '' ? null : shortened(name);
}

/** At most 32 characters, cut between words if that leaves enough. */
function shortened(name: string): string {
  if (name.length <= NAME_MAX) return name;
  const cut = name.slice(0, NAME_MAX + 1);
  const end = cut.search(/[-_][^-_]*$/);
  return trimmed(cut.slice(0, end > NAME_MAX / 2 ? end : NAME_MAX));
}
