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

/** Digits of every script come in runs of ten, from zero. */
const inAsciiDigits = (text: string) =>
  text.replace(/[^\P{Nd}0-9]/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let value = 0;
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
    return String(value);
  });
