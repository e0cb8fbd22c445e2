import { cityMapping } from 'city-timezones';
import { between, type Random } from './random.ts';

/** Somewhere near a real city, in degrees (WGS84). */
export interface Location {
  city: string;
  /** ISO 3166 alpha-2, upper case; ZZ if unknown. */
  country: string;
  region: Region;
  lat: number;
  lng: number;
}

export type Region = 'EU' | 'NA' | 'SA' | 'AS' | 'AF' | 'OC';

/** By the first part of an IANA time zone. */
const REGION_BY_ZONE: Record<string, Region> = {
  Europe: 'EU',
  America: 'NA',
  Asia: 'AS',
  Africa: 'AF',
  Australia: 'OC',
  Pacific: 'OC',
  Atlantic: 'EU',
  Indian: 'AF',
  Arctic: 'EU',
};
const SOUTH_AMERICA = 'AR BO BR CL CO EC FK GF GS GY PE PY SR UY VE'.split(' ');
/** Countries whose time zone belongs to another continent. */
const REGION_BY_COUNTRY: Record<string, Region> = {
  ...Object.fromEntries(SOUTH_AMERICA.map((country) => [country, 'SA' as const])),
  BM: 'NA',
  US: 'NA',
  CV: 'AF',
  MV: 'AS',
};

/** Nodes per inhabitant, relative: volunteer networks are densest in Europe and North America. */
const DENSITY: Record<Region, number> = { EU: 3, NA: 3, OC: 4, SA: 1, AS: 0.8, AF: 0.5 };
/** Below 1, so that middle-sized towns appear too, not only megacities. */
const POPULATION_EXPONENT = 0.75;
/** A node is at most this far from its city (degrees; about 20 km at the equator). */
const SPREAD_DEGREES = 0.2;

interface WeightedCity extends Location {
  /** Sum of the weights up to and including this city. */
  upTo: number;
}

let cities: WeightedCity[] | undefined;

/** Some 7,200 cities; leaves out those without inhabitants or a time zone. */
function weightedCities(): WeightedCity[] {
  if (cities) return cities;
  let upTo = 0;
  cities = cityMapping.flatMap(({ city, iso2, timezone, pop, lat, lng }) => {
    // Contrary to its types, the data has countries of -99 and time zones of null.
    const country = /^[A-Z]{2}$/.test(String(iso2)) ? iso2 : 'ZZ';
    const [zone = ''] = String(timezone).split('/');
    const region = REGION_BY_COUNTRY[country] ?? REGION_BY_ZONE[zone];
    if (!region || !(pop > 0)) return [];
    upTo += pop ** POPULATION_EXPONENT * DENSITY[region];
    return [{ city: plainName(city), country, region, lat, lng, upTo }];
  });
  return cities;
}

/** Without dots, since "Washington, D.C." could be taken for a hostname, and with plain quotes. */
function plainName(city: string): string {
  return city
    .normalize('NFC')
    .replaceAll('’', "'")
    .replaceAll('.', '')
    .replace(/[^\p{L}\p{N} \-'(),]/gu, ' ')
    .trim();
}

/** A location near a city, larger cities more often. Coordinates have four decimals (about 10 m). */
export function randomLocation(random: Random): Location {
  const all = weightedCities();
  const target = between(random, 0, all.at(-1)?.upTo ?? 0);
  let [low, high] = [0, all.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle] as WeightedCity).upTo > target) high = middle;
    else low = middle + 1;
  }
  const { upTo: _, ...city } = all[low] as WeightedCity;
  const nearby = (degrees: number) => degrees + between(random, -SPREAD_DEGREES, SPREAD_DEGREES);
  return {
    ...city,
    lat: round(Math.min(90, Math.max(-90, nearby(city.lat)))),
    lng: round(((nearby(city.lng) + 540) % 360) - 180),
  };
}

function round(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000;
}
