import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { feature } from 'topojson-client';
import { STEPS_PER_DEGREE, TABLE_COLUMNS, TABLE_ROWS } from '#server/mesh/regions.ts';

/**
 * `npx tsx scripts/regions.ts` generates server/mesh/land.ts: the continent that has most land around each point of a
 * grid of half a degree. The outlines of the countries are Natural Earth's, 1:10 million.
 */

type Topology = Parameters<typeof feature>[0];
type Ring = number[][];

/** Samples per degree: five by five around each point of the table. */
const SAMPLES = 10;

/** The countries of each continent by their names in the data, after the United Nations' regions. */
const COUNTRIES: Record<string, string> = {
  AF: `Algeria; Angola; Benin; Botswana; Br. Indian Ocean Ter.; Burkina Faso; Burundi; Cabo Verde; Cameroon;
    Central African Rep.; Chad; Comoros; Congo; Côte d'Ivoire; Dem. Rep. Congo; Djibouti; Egypt; Eq. Guinea; Eritrea;
    Ethiopia; Gabon; Gambia; Ghana; Guinea; Guinea-Bissau; Kenya; Lesotho; Liberia; Libya; Madagascar; Malawi; Mali;
    Mauritania; Mauritius; Morocco; Mozambique; Namibia; Niger; Nigeria; Rwanda; S. Sudan; Saint Helena;
    São Tomé and Principe; Senegal; Seychelles; Sierra Leone; Somalia; Somaliland; South Africa; Sudan; Tanzania; Togo;
    Tunisia; Uganda; W. Sahara; Zambia; Zimbabwe; eSwatini`,
  AN: `Antarctica; Fr. S. Antarctic Lands; Heard I. and McDonald Is.; S. Geo. and the Is.`,
  AS: `Afghanistan; Armenia; Azerbaijan; Bahrain; Baikonur; Bangladesh; Bhutan; Brunei; Cambodia; China; Georgia;
    Hong Kong; India; Indonesia; Iran; Iraq; Israel; Japan; Jordan; Kazakhstan; Kuwait; Kyrgyzstan; Laos; Lebanon;
    Macao; Malaysia; Maldives; Mongolia; Myanmar; Nepal; North Korea; Oman; Pakistan; Palestine; Philippines; Qatar;
    Saudi Arabia; Scarborough Reef; Siachen Glacier; Singapore; South Korea; Spratly Is.; Sri Lanka; Syria; Taiwan;
    Tajikistan; Thailand; Timor-Leste; Turkmenistan; United Arab Emirates; Uzbekistan; Vietnam; Yemen`,
  EU: `Akrotiri; Albania; Andorra; Austria; Belarus; Belgium; Bosnia and Herz.; Bulgaria; Croatia; Cyprus;
    Cyprus U.N. Buffer Zone; Czechia; Denmark; Dhekelia; Estonia; Faeroe Is.; Finland; Germany; Gibraltar; Greece;
    Guernsey; Hungary; Iceland; Ireland; Isle of Man; Italy; Jersey; Kosovo; Latvia; Liechtenstein; Lithuania;
    Luxembourg; Macedonia; Malta; Moldova; Monaco; Montenegro; N. Cyprus; Poland; Portugal; Romania; San Marino; Serbia;
    Slovakia; Slovenia; Spain; Sweden; Switzerland; Ukraine; United Kingdom; Vatican; Åland`,
  NA: `Anguilla; Antigua and Barb.; Aruba; Bahamas; Bajo Nuevo Bank; Barbados; Belize; Bermuda; British Virgin Is.;
    Canada; Cayman Is.; Clipperton I.; Costa Rica; Cuba; Curaçao; Dominica; Dominican Rep.; El Salvador; Greenland;
    Grenada; Guatemala; Haiti; Honduras; Jamaica; Mexico; Montserrat; Nicaragua; Panama; Puerto Rico; Saint Lucia;
    Serranilla Bank; Sint Maarten; St-Barthélemy; St-Martin; St. Kitts and Nevis; St. Pierre and Miquelon;
    St. Vin. and Gren.; Trinidad and Tobago; Turks and Caicos Is.; U.S. Virgin Is.; USNB Guantanamo Bay`,
  OC: `American Samoa; Ashmore and Cartier Is.; Australia; Cook Is.; Coral Sea Is.; Fiji; Fr. Polynesia; Guam;
    Indian Ocean Ter.; Kiribati; Marshall Is.; Micronesia; N. Mariana Is.; Nauru; New Caledonia; New Zealand; Niue;
    Norfolk Island; Palau; Papua New Guinea; Pitcairn Is.; Samoa; Solomon Is.; Tonga; Tuvalu; U.S. Minor Outlying Is.;
    Vanuatu; Wallis and Futuna Is.`,
  SA: `Argentina; Bolivia; Brazil; Chile; Colombia; Ecuador; Falkland Is.; Guyana; Paraguay; Peru; Suriname; Uruguay;
    Venezuela`,
};
/** Countries on several continents, by the point that is asked for. */
const DIVIDED: Record<string, (lat: number, lng: number) => string> = {
  // The Urals.
  Russia: (_, lng) => (lng > 60 || lng < -160 ? 'AS' : 'EU'),
  // The Bosphorus and the Dardanelles.
  Turkey: (lat, lng) => (lng < 29.1 && lat > 40.3 ? 'EU' : 'AS'),
  'United States of America': (lat, lng) => (lng < -150 && lat < 30 ? 'OC' : 'NA'),
  France: (lat, lng) => (lng > 40 ? 'AF' : lng > -30 ? 'EU' : lat > 10 ? 'NA' : 'SA'),
  Netherlands: (_, lng) => (lng < -30 ? 'NA' : 'EU'),
  Norway: (lat) => (lat < 0 ? 'AN' : 'EU'),
};

const CONTINENTS = Object.keys(COUNTRIES);
const continentOf = new Map(
  Object.entries(COUNTRIES).flatMap(([continent, names]) =>
    names.split(';').map((name) => [name.trim(), continent] as const),
  ),
);

const size = TABLE_ROWS * TABLE_COLUMNS;
/** How many samples of each point of the table are on each continent. */
const land = CONTINENTS.map(() => new Uint16Array(size));
/** The same for the corners of outlines: islands between two samples have these only. */
const corners = CONTINENTS.map(() => new Uint16Array(size));

function count(counts: Uint16Array[], country: string, lat: number, x: number): void {
  const lng = ((x + 540) % 360) - 180;
  const continent = DIVIDED[country]?.(lat, lng) ?? continentOf.get(country);
  if (continent === undefined) throw new Error(`${country} is on no continent.`);
  const row = Math.round((lat + 90) * STEPS_PER_DEGREE);
  const column = Math.round((lng + 180) * STEPS_PER_DEGREE) % TABLE_COLUMNS;
  const ofContinent = counts[CONTINENTS.indexOf(continent)];
  const at = row * TABLE_COLUMNS + column;
  if (ofContinent) ofContinent[at] = (ofContinent[at] ?? 0) + 1;
}

/** Counts the samples within the outlines of an area, line by line from the south to the north. */
function countArea(country: string, rings: Ring[]): void {
  const crossings = new Map<number, number[]>();
  for (const ring of rings.map(unwrapped))
    for (let n = 1; n < ring.length; n++) {
      const [[x0 = 0, y0 = 0] = [], [x1 = 0, y1 = 0] = []] = [ring[n - 1], ring[n]];
      count(corners, country, y1, x1);
      const [low, high] = y0 < y1 ? [y0, y1] : [y1, y0];
      for (let line = lineAbove(low); latOf(line) < high; line++) {
        const found = crossings.get(line) ?? [];
        crossings.set(line, found);
        found.push(x0 + ((latOf(line) - y0) / (y1 - y0)) * (x1 - x0));
      }
    }
  for (const [line, found] of crossings) {
    found.sort((a, b) => a - b);
    for (let n = 0; n + 1 < found.length; n += 2)
      for (let at = lineAbove(found[n] ?? 0); latOf(at) < (found[n + 1] ?? 0); at++)
        count(land, country, latOf(line), latOf(at));
  }
}

/**
 * An outline that crosses the date line goes on beyond 180°, or -180°. Antarctica's goes around the world: it is closed
 * along the pole.
 */
function unwrapped(ring: Ring): Ring {
  let turns = 0;
  let before = ring[0]?.[0] ?? 0;
  const line = ring.map(([lng = 0, lat = 0]) => {
    if (Math.abs(lng - before) > 180) turns += lng < before ? 360 : -360;
    before = lng;
    return [lng + turns, lat];
  });
  const [first, last] = [line[0]?.[0] ?? 0, line.at(-1)?.[0] ?? 0];
  if (first === last) return line;
  return [...line, [last, -90], [first, -90], line[0] ?? []];
}

/** Samples are in the middle between two tenths of a degree, so that none is on the edge of two points. */
const latOf = (line: number) => (line + 0.5) / SAMPLES;
const lineAbove = (degrees: number) => Math.ceil(degrees * SAMPLES - 0.5);

const require = createRequire(import.meta.url);
const topology = require('world-atlas/countries-10m.json') as Topology;
const object = topology.objects['countries'];
if (!object) throw new Error('world-atlas has no countries');
const { features } = feature(topology, object) as unknown as {
  features: {
    properties: { name: string };
    geometry: { type: string; coordinates: Ring[] | Ring[][] };
  }[];
};
for (const { properties, geometry } of features) {
  const areas = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  for (const area of areas as Ring[][]) countArea(properties.name, area);
}

/** The most frequent continent of a point; empty: there is none. */
function mostOf(counts: Uint16Array[], at: number): string {
  const most = Math.max(...counts.map((ofContinent) => ofContinent[at] ?? 0));
  return most === 0 ? '' : (CONTINENTS[counts.findIndex((found) => found[at] === most)] ?? '');
}

let [runs, last, length] = ['', '', 0];
const end = () => (runs += length > 0 ? `${length.toString(36)}${last || '--'}` : '');
for (let at = 0; at < size; at++) {
  const continent = mostOf(land, at) || mostOf(corners, at);
  if (continent !== last) {
    end();
    [last, length] = [continent, 0];
  }
  length++;
}
end();
writeFileSync(
  join(import.meta.dirname, '..', 'server', 'mesh', 'land.ts'),
  `// Generated by scripts/regions.ts from the outlines of Natural Earth, 1:10 million.

/**
 * The continent with most land around each point of a grid of half a degree, row by row from the south pole and from
 * 180° W: how many points in base 36, and their continent; \`--\` is the sea.
 */
export const LAND = '${runs}';
`,
);
