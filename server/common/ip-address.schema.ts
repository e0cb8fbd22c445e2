/** Four groups of one to three digits, joined by dots. */
const IPV4 = /(?<!\p{Nd})\p{Nd}{1,3}(?:\.\p{Nd}{1,3}){3}(?!\p{Nd})/u;
/** Three or more groups of hex digits between colons, or `::`. */
const IPV6 = /(?:[0-9a-f]{1,4}:){2,}|::[0-9a-f]|[0-9a-f]::/iu;

/** Whether the text contains an IPv4 or IPv6 address. */
export const containsIpAddress = (text: string): boolean => IPV4.test(text) || IPV6.test(text);
