/**
 * Nodes choose their region codes freely. Seven codes mean continents here, although NA, SA, AF and AS are also
 * country codes; ZZ stands for a node that gave none.
 */
const CONTINENTS = new Map([
  ['AF', 'Africa'],
  ['AN', 'Antarctica'],
  ['AS', 'Asia'],
  ['EU', 'Europe'],
  ['NA', 'North America'],
  ['OC', 'Oceania'],
  ['SA', 'South America'],
  ['ZZ', 'unknown'],
]);

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** "Germany" for DE, "Europe" for EU; null for a code without a known meaning, such as US-WEST. */
export const regionName = (code: string): string | null =>
  CONTINENTS.get(code) ?? (/^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? null) : null);

/** "DE (Germany)", or only the code where its meaning is unknown. */
export function regionText(code: string): string {
  const name = regionName(code);
  return name === null ? code : `${code} (${name})`;
}

/** Regions with their counts, the largest first. */
export const byCount = (counts: Record<string, number>): [string, number][] =>
  Object.entries(counts).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
