import anyAscii from 'any-ascii';
import { SentName, NAME_MAX, NAME_MIN } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { requireCurrent, whyUnavailable, type NamesContext } from './availability.ts';
import { SUFFIXES, undecorated } from './look-alikes.ts';

/** Length of the list. */
const LIMIT = 4;

/**
 * Names similar to one that is not available, the most similar first, at most four. Each could be
 * registered now, and none merely decorates a reserved name: "my-admin" would pass for the real one. The
 * same registry always gives the same list.
 * @param raw any text; without a readable name in it the list is empty
 * @throws AppError `unavailable`
 */
export function alternatives(context: NamesContext, raw: string, now = context.clock()): string[] {
  const candidates = similarNames(raw);
  if (candidates.length === 0) return [];
  requireCurrent(context);
  const found: string[] = [];
  for (const name of candidates) {
    if (whyUnavailable(context, name, now) !== null) continue;
    if (undecorated(name).some((core) => context.reservedNames.isReserved(core, now))) continue;
    if (found.push(name) === LIMIT) break;
  }
  return found;
}

/** Valid names similar to `raw`, the most similar first, without `raw` itself. */
export function similarNames(raw: string): string[] {
  const parsed = SentName.safeParse(raw);
  const base = parsed.success ? parsed.data : readableName(raw);
  if (base === null) return [];
  const stem = base.replace(/[-_]?(?<!\d)\d+$/, '') || base;
  const numbered = (...numbers: number[]) => numbers.map((n) => withSuffix(stem, `-${n}`));
  const candidates = [
    base,
    stem,
    ...(stem.length < NAME_MIN ? numbered(1) : []),
    ...numbered(2, 3),
    trimmed(`my-${stem}`.slice(0, NAME_MAX)),
    ...SUFFIXES.map((word) => withSuffix(stem, `-${word}`)),
    ...numbered(4, 5, 6, 7, 8, 9),
  ];
  return [...new Set(candidates)].filter(
    (name) => SentName.safeParse(name).success && !(parsed.success && name === base),
  );
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
