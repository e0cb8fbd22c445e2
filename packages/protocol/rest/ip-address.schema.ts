/** A number of an IPv4 address, in a text whose digits are 0-9. Leading zeros do not hide it. */
const OCTET = '0*(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])';
/** Four groups of one to three digits, joined by dots. Spaces around the dots do not hide it. */
const IPV4 = /(?<!\d)0*\d{1,3}(?:\s*\.\s*0*\d{1,3}){3}(?!\d)/u;
/** An IPv4 address joined as in host names: `ip-203-0-113-7`. */
const IPV4_JOINED = new RegExp(
  `(?<!\\d)${OCTET}(?<joint>[-_,])${OCTET}(?:\\k<joint>${OCTET}){2}(?!\\d)`,
  'u',
);
/** Three or more groups of hex digits between colons, or `::`. */
const IPV6 = /(?:[0-9a-f]{1,4}:){2,}|::[0-9a-f]|[0-9a-f]::/iu;

/** A day such as 2026-11-22: with a number after it, it would read as an address. */
const DAY = /(?<!\d)(?:19|20)\d\d([\-_])\d\d\1\d\d(?!\d)/gu;

/** Whether the text contains an IPv4 or IPv6 address, in digits of any script. */
export function containsIpAddress(text: string): boolean {
  const plain = inAsciiDigits(text);
  return IPV4.test(plain) || IPV6.test(plain) || IPV4_JOINED.test(plain.replace(DAY, 'day'));
}

/** Any punctuation between the parts of an address, the same each time. */
const JOINT = '(?<joint>[^\\p{L}\\p{Nd}]{1,3})';
const fourTimes = (part: string, joint: string, again = '\\k<joint>') =>
  new RegExp(`(?<![0-9a-f])${part}${joint}${part}(?:${again}${part}){2}(?![0-9a-f])`, 'iu');
/**
 * Four numbers, `203 0 113 7` or `203·0·113·7` or `203.0 113.7`; or four bytes in hexadecimal, `cb 00 71 07` or
 * `0xcb.0x0.0x71.0x7`.
 */
const IPV4_WRITTEN = [
  fourTimes(OCTET, JOINT),
  // Not after a letter: `v1.2 42 42` is a version.
  fourTimes(`(?<!\\p{L})${OCTET}`, '[. ]', '[. ]'),
  fourTimes('[0-9a-f]{2}', JOINT),
  fourTimes('0x[0-9a-f]{1,2}', JOINT),
];
/** Eight groups, as in `2001 db8 0 0 0 0 0 1`. */
const IPV6_WRITTEN =
  /(?<![0-9a-f])[0-9a-f]{1,4}(?<joint>[^\p{L}\p{Nd}])(?:[0-9a-f]{1,4}\k<joint>){6}[0-9a-f]{1,4}(?![0-9a-f])/iu;
/** `0xcb007107`; or `7f000001`, which unlike `cafe2026` has letters after digits. */
const HEX_NUMBER =
  /(?<![\p{L}\p{Nd}])0x[0-9a-f]{7,8}(?![\p{L}\p{Nd}])|(?<![\p{L}\p{Nd}_-])(?=[0-9a-f]{8}(?![\p{L}\p{Nd}_-]))[0-9a-f]*[0-9][a-f]/iu;
/** Shorter numbers are no addresses to a reader: 20261122 is a day. */
const NUMBER = /(?<!\d)\d{9,10}(?!\d)/gu;
const IPV4_MAX = 2 ** 32 - 1;
/** Any of these has a colon, three digits, or one beside two pairs of hexadecimal ones. */
const MAY_BE_ADDRESS = /:|^(?=.*\p{Nd})(?:(?:.*\p{Nd}){3}|(?:.*[0-9a-f]{2}){2})/isu;

/**
 * Whether a text for people, such as a label, contains what a reader may take for the address of a machine: also with
 * blanks or other punctuation in it, in hexadecimal, or as one number. Ids may well look like that.
 */
export function readsAsIpAddress(text: string): boolean {
  if (containsIpAddress(text)) return true;
  if (!MAY_BE_ADDRESS.test(text)) return false;
  const plain = inAsciiDigits(text)
    .replace(/(?<=\d)[\s(]*\bdot\b[\s)]*(?=\d)/giu, '.')
    .replace(/\s+/gu, ' ')
    .replace(/ ?([^\p{L}\p{Nd} ]) ?/gu, '$1')
    .replace(DAY, 'day');
  return (
    IPV6.test(plain) ||
    IPV6_WRITTEN.test(plain) ||
    HEX_NUMBER.test(plain) ||
    IPV4_WRITTEN.some((address) => address.test(plain)) ||
    (plain.match(NUMBER) ?? []).some((number) => Number(number) <= IPV4_MAX)
  );
}

/** Digits of every script come in runs of ten, from zero. */
const inAsciiDigits = (text: string) =>
  text.replace(/[^\P{Nd}0-9]/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let value = 0;
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
    return String(value);
  });
