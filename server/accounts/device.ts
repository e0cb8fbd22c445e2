export const UNKNOWN_DEVICE = 'Unknown browser';

/**
 * Browser and system from the User-Agent header, such as "Firefox on Linux": enough to recognise one's own sessions,
 * too little to identify a person.
 */
export function deviceName(userAgent: string | null): string {
  if (userAgent !== null && isDeviceName(userAgent)) return userAgent;
  const find = (names: [string, RegExp][]) =>
    names.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0];
  const browser = find(BROWSERS) ?? UNKNOWN_DEVICE;
  const system = find(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** The result of an earlier {@link deviceName}: a session that continues under a new id keeps it. */
const isDeviceName = (text: string) =>
  [...BROWSERS.map(([name]) => name), UNKNOWN_DEVICE].some((browser) =>
    [browser, ...SYSTEMS.map(([system]) => `${browser} on ${system}`)].includes(text),
  );

/** The more specific first: most browsers also claim to be Chrome and Safari. */
const BROWSERS: [string, RegExp][] = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];

const SYSTEMS: [string, RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['macOS', /\bMacintosh\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];
