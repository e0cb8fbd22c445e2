/**
 * What of a label may be published. Labels come from node operators and stand on public pages, so
 * markup goes, and so does anything that could tell where a node is reached.
 */

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
/** Letters (with their marks) and digits of any script, space, and the punctuation allowed. */
const DISALLOWED = /[^\p{L}\p{M}\p{Nd} ._\-'()#&+,]/gu;

/** Four groups of one to three digits, joined by dots. */
const IPV4 = /(?<!\p{Nd})\p{Nd}{1,3}(?:\.\p{Nd}{1,3}){3}(?!\p{Nd})/u;
/** The same joined as host names carry it: `ip-203-0-113-7`. */
const IPV4_JOINED =
  /(?<!\p{Nd})\p{Nd}{1,3}([\-_,])\p{Nd}{1,3}\1\p{Nd}{1,3}\1\p{Nd}{1,3}(?!\p{Nd})/u;
/** Three or more groups of hex digits between colons, or `::`. */
const IPV6 = /(?:[0-9a-f]{1,4}:){2,}|::[0-9a-f]|[0-9a-f]::/iu;
/**
 * Words joined by dots of which the last has no digits, as top-level domains have not; or a local name.
 * Begins at the last dot: the time it takes grows with the text, not with its square.
 */
const HOSTNAME = /[\p{L}\p{Nd}_-]\.(?:\p{L}{2,}|xn--[a-z0-9-]+)(?![\p{L}\p{Nd}])|\blocalhost\b/iu;

/** Also behind marks on its letters or digits, which nobody would see as anything else. */
const looksLikeAddress = (text: string) =>
  [text, text.normalize('NFKD').replace(/\p{M}/gu, '')].some(
    (shown) => holdsIpAddress(shown) || IPV4_JOINED.test(shown) || HOSTNAME.test(shown),
  );

/** Bounded work: nothing longer can become a label of 64 characters that was meant. Bodies are bounded too. */
const SCAN_MAX = 4096;

export type SanitizedLabel =
  | { ok: true; label: string }
  /** Nothing publishable is left, or it looks like an address: the label is left out. */
  | { ok: false; reason: 'empty' | 'address' }
  /** Longer than {@link LABEL_MAX} characters after cleaning. */
  | { ok: false; reason: 'too_long' };

export function sanitizeLabel(raw: string): SanitizedLabel {
  let text = raw;
  // What is taken out may join what stood on its two sides: again, until nothing changes.
  for (let before: string | null = null; before !== text;) {
    before = text;
    // One character may become eighteen by normalizing: cut afterwards.
    text = withoutMarkup(text.normalize('NFKC').slice(0, SCAN_MAX).replace(INVISIBLE, ''));
    text = text.replace(/[。．｡]/gu, '.');
    // Before the colons of an IPv6 address go.
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

/** True where an IPv4 or IPv6 address stands anywhere in the text. */
export const holdsIpAddress = (text: string) => IPV4.test(text) || IPV6.test(text);
