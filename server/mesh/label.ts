import { readsAsIpAddress } from '@mesh-registry/protocol/rest/ip-address.schema.ts';
import { LABEL_MAX } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import { looksLikeGenesis } from '#server/names/index.ts';

/**
 * Labels come from node operators and appear on public pages, so markup is removed, and so is anything
 * that could reveal where a node can be reached, or pass for the bootstrap peer.
 */

const MARKUP = [
  // Up to its end tag or, as a browser reads it, to the end of the text.
  /<(script|style)\b[^>]*(?:$|>[\s\S]*?(?:$|<\/\1\s*>))/giu,
  // A tag, closed or not: "<img src=x" at the end of a label is one, "a < b" is not.
  /<\/?[a-z!?][^>]*(?:>|$)/giu,
];
const SCRIPT_PATTERNS = [
  /\b(?:javascript|vbscript|data)\s*:/giu,
  /\bon[a-z]+\s*=/giu,
  /expression\s*\(/giu,
];
/** What is left where one was written into another: of all the others, the characters that make them are removed. */
const NESTED_EXPRESSION = /(?<=expression)[\s(]+(?<=\()/giu;
/** Control, format (bidi, zero-width), private use, surrogates and unassigned; and letters without a shape. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;
/** All but letters (with their marks) and digits of any script, space, and the allowed punctuation. */
const DISALLOWED = /[^\p{L}\p{M}\p{Nd} ._\-'()#&+,]/gu;

/**
 * Words joined by dots, the last without digits, like a top-level domain; or a local name. Matches from
 * the last dot only: the time it takes grows with the text, not with its square.
 */
const HOSTNAME = /[\p{L}\p{Nd}_-]\.(?:\p{L}{2,}|xn--[a-z0-9-]+)(?![\p{L}\p{Nd}])|\blocalhost\b/iu;

/** Marks on letters or digits do not hide an address from a reader, so it is searched without them too. */
function looksLikeAddress(text: string): boolean {
  const unmarked = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return isAddress(text) || (unmarked !== text && isAddress(unmarked));
}

const isAddress = (shown: string) =>
  readsAsIpAddress(shown) || HOSTNAME.test(shown.replace(/(?<! ) +\. +/g, '.'));

/** Nothing is removed from such a text, and it needs no normalizing. Most labels are one. */
const PLAIN = /^[A-Za-z0-9_\-'#&+,]+(?: [A-Za-z0-9_\-'#&+,]+)*$/;

export type SanitizedLabel =
  | { ok: true; label: string }
  /** Nothing publishable is left, or it looks like an address or like Genesis; or it is longer than {@link LABEL_MAX}. */
  | { ok: false; reason: 'empty' | 'address' | 'genesis' | 'too_long' };

/**
 * Cleans a label for publication, in one pass of each rule: the work grows with the length of the text. Where markup was
 * written into other markup, so that removing one leaves another, its brackets go and its words stay.
 */
export function sanitizeLabel(raw: string): SanitizedLabel {
  if (PLAIN.test(raw)) return isAddress(raw) ? { ok: false, reason: 'address' } : judge(raw);
  const visible = raw
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/[。．｡]/gu, '.');
  const unmarked = without([...MARKUP, ...SCRIPT_PATTERNS], visible);
  // Before the colons of an IPv6 address are removed, and after what stands between the parts of others.
  if (looksLikeAddress(unmarked)) return { ok: false, reason: 'address' };
  const label = without([DISALLOWED, NESTED_EXPRESSION], unmarked)
    .replace(/ {2,}/g, ' ')
    .trim()
    // A mark may now follow another letter.
    .normalize('NFC');
  if (looksLikeAddress(label)) return { ok: false, reason: 'address' };
  return label === '' ? { ok: false, reason: 'empty' } : judge(label);
}

const without = (patterns: readonly RegExp[], text: string): string =>
  patterns.reduce((rest, pattern) => rest.replace(pattern, ''), text);

/** @param label cleaned */
function judge(label: string): SanitizedLabel {
  if (label.length > LABEL_MAX && [...label].length > LABEL_MAX)
    return { ok: false, reason: 'too_long' };
  return looksLikeGenesis(label) ? { ok: false, reason: 'genesis' } : { ok: true, label };
}

/**
 * The label as it may be published; null if none was sent or nothing publishable is left of it.
 * @throws AppError `invalid_body` if it is too long
 */
export function publishableLabel(raw: string | undefined): string | null {
  if (raw === undefined) return null;
  const result = sanitizeLabel(raw);
  if (result.ok) return result.label;
  if (result.reason === 'too_long')
    throw invalid('invalid_body', [
      { path: 'label', message: `must be at most ${LABEL_MAX} characters` },
    ]);
  return null;
}

/**
 * What replaces the stored label of a node whose new one was dropped: its id, where the stored one would be dropped too,
 * because it is from before a rule was made. Null: the stored one stays.
 */
export const labelInstead = (stored: string | null | undefined, nodeId: string): string | null =>
  typeof stored === 'string' && !sanitizeLabel(stored).ok ? nodeId : null;

/** Whole sentences, because people read them beside the field. */
const WHY_NOT = {
  address:
    'A label can’t be a hostname or an IP address. They are never published. Use a name people know.',
  markup: 'A label can’t contain HTML.',
  characters: "Use letters, digits, spaces and . _ - ' ( ) # & + ,",
  genesis: 'A label can’t look like “Genesis”: that is the bootstrap peer.',
  too_long: `A label can have at most ${LABEL_MAX} characters.`,
};

/** Why a label can't be published as it is, and what could be instead. */
export interface LabelRefusal {
  /** Whole sentences. */
  message: string;
  /** What is left of it that can be published. */
  suggestion?: string;
}

/** Null for a label that can be published as it is. Blanks around it don't matter, nor how its letters are composed. */
export function whyRefusedLabel(raw: string): LabelRefusal | null {
  const result = sanitizeLabel(raw);
  if (result.ok && result.label === raw.trim().normalize('NFC')) return null;
  if (!result.ok && result.reason !== 'empty') return { message: WHY_NOT[result.reason] };
  const message = hasMarkup(raw) ? WHY_NOT.markup : WHY_NOT.characters;
  return result.ok ? { message, suggestion: result.label } : { message };
}

function hasMarkup(raw: string): boolean {
  const visible = raw.normalize('NFKC').replace(INVISIBLE, '');
  return [...MARKUP, ...SCRIPT_PATTERNS].some((pattern) => visible.search(pattern) !== -1);
}

/**
 * A label that somebody enters for good: it is published as it is, or refused.
 * @throws AppError `invalid_body`
 */
export function exactLabel(raw: string): string {
  const refusal = whyRefusedLabel(raw);
  if (refusal === null) return raw.trim().normalize('NFC');
  const { message, suggestion } = refusal;
  const says = message === WHY_NOT.characters ? `${message} in a label.` : message;
  throw new AppError(
    'invalid_body',
    suggestion === undefined ? says : `${says} Use “${suggestion}” instead.`,
    { issues: [{ path: 'label', ...refusal }] },
  );
}
