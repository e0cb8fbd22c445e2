const ANOTHER = 'Another browser';

/**
 * Browser and system in words, from the User-Agent header: enough to know one's own sessions apart,
 * too little to know a person by.
 */
export function deviceName(userAgent: string | null): string {
  if (userAgent !== null && isDeviceName(userAgent)) return userAgent;
  const find = (names: [string, RegExp][]) =>
    names.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0];
  const browser = find(BROWSERS) ?? ANOTHER;
  const system = find(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** What {@link deviceName} has made already: it stays as it is where a session goes on under a new id. */
const isDeviceName = (text: string) =>
  [...BROWSERS.map(([name]) => name), ANOTHER].some((browser) =>
    [browser, ...SYSTEMS.map(([system]) => `${browser} on ${system}`)].includes(text),
  );

/** The more special first: most browsers say that they are Chrome and Safari too. */
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
