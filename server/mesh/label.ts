import { containsIpAddress } from '@mesh-registry/protocol/rest/ip-address.schema.ts';
import { invalid } from '#server/common/errors.schema.ts';

/**
 * Labels come from node operators and appear on public pages, so markup is removed, and so is anything
 * that could reveal where a node can be reached.
 */

/** Longest label, characters. */
export const LABEL_MAX = 64;

const MARKUP = [
  /<(script|style)\b[^>]*>[\s\S]*?(<\/\1\s*>|$)/giu,
  // A tag, closed or not: "<img src=x" at the end of a label is one, "a < b" is not.
  /<\/?[a-z!?][^>]*(>|$)/giu,
];
const SCRIPT_PATTERNS = [
  /\b(javascript|vbscript|data)\s*:/giu,
  /\bon[a-z]+\s*=/giu,
  /expression\s*\(/giu,
];
/** Control, format (bidi, zero-width), private use, surrogates and unassigned. */
const INVISIBLE = /[\p{C}\u2028\u2029]/gu;
/** All but letters (with their marks) and digits of any script, space, and the allowed punctuation. */
const DISALLOWED = /[^\p{L}\p{M}\p{Nd} ._\-'()#&+,]/gu;

/**
 * Words joined by dots, the last without digits, like a top-level domain; or a local name. Matches from
 * the last dot only: the time it takes grows with the text, not with its square.
 */
const HOSTNAME = /[\p{L}\p{Nd}_-]\.(?:\p{L}{2,}|xn--[a-z0-9-]+)(?![\p{L}\p{Nd}])|\blocalhost\b/iu;

/** Marks on letters or digits do not hide an address from a reader, so it is searched without them too. */
const looksLikeAddress = (text: string) =>
  [text, text.normalize('NFKD').replace(/\p{M}/gu, '')].some(
    (shown) => containsIpAddress(shown) || HOSTNAME.test(shown),
  );

/** Bounds the work: no text longer than this is meant as a label of 64 characters. Bodies are bounded too. */
const SCAN_MAX = 4096;

export type SanitizedLabel =
  | { ok: true; label: string }
  /** Nothing publishable is left, or it looks like an address: the label is dropped. */
  | { ok: false; reason: 'empty' | 'address' }
  /** Longer than {@link LABEL_MAX} characters after cleaning. */
  | { ok: false; reason: 'too_long' };

/** Cleans a label for publication. */
export function sanitizeLabel(raw: string): SanitizedLabel {
  let text = raw;
  // Removing a part may join its two sides into another match: repeat until nothing changes.
  for (let before: string | null = null; before !== text;) {
    before = text;
    // Normalizing may turn one character into eighteen, so the text is cut afterwards.
    text = withoutMarkup(text.normalize('NFKC').slice(0, SCAN_MAX).replace(INVISIBLE, ''));
    text = text.replace(/[。．｡]/gu, '.');
    // This looks before the colons of an IPv6 address are removed.
    if (looksLikeAddress(text)) return { ok: false, reason: 'address' };
    text = text.replace(DISALLOWED, '').replace(/ {2,}/g, ' ').trim();
  }
  if (text === '') return { ok: false, reason: 'empty' };
  if ([...text].length > LABEL_MAX) return { ok: false, reason: 'too_long' };
  return { ok: true, label: text };
}

function withoutMarkup(text: string): string {
  for (let before = ''; before !== text;) {
    before = text;
    for (const pattern of [...MARKUP, ...SCRIPT_PATTERNS]) text = text.replace(pattern, '');
  }
  return text;
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
