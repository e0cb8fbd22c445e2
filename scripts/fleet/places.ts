import { cityMapping } from 'city-timezones';
import { between, type Random } from './random.ts';

/** Where a node stands: near a real city, in degrees (WGS84). */
export interface Place {
  city: string;
  /** ISO 3166 alpha-2 of the country, upper case. */
  country: string;
  region: Region;
  lat: number;
  lng: number;
}

export type Region = 'EU' | 'NA' | 'SA' | 'AS' | 'AF' | 'OC';

/** Continent by the first part of an IANA time zone; America is divided by SOUTH_AMERICA below. */
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

const SOUTH_AMERICA = new Set('AR BO BR CL CO EC FK GF GS GY PE PY SR UY VE'.split(' '));
/** Countries whose islands lie in an ocean's time zone of another continent. */
const REGION_BY_COUNTRY: Record<string, Region> = { BM: 'NA', US: 'NA', CV: 'AF', MV: 'AS' };

/**
 * How much likelier than its population says a region is to run nodes: population alone would put
 * half of the network into Asia, while volunteer-run networks are densest in Europe and the
 * Americas' north.
 */
const DENSITY: Record<Region, number> = { EU: 3, NA: 3, OC: 4, SA: 1, AS: 0.8, AF: 0.5 };
/** Below 1, so that middle-sized towns show as well and not only the megacities. */
const POPULATION_EXPONENT = 0.75;
/** Nodes stand this many degrees around their city at most (about 20 km at the equator). */
const SPREAD_DEGREES = 0.2;

interface WeightedCity extends Place {
  /** Sum of the weights up to and including this city. */
  upTo: number;
}

let cities: WeightedCity[] | undefined;

/** Some 7,200 cities; those without a time zone (mostly Antarctic bases) or people are left out. */
function weightedCities(): WeightedCity[] {
  if (cities) return cities;
  let upTo = 0;
  cities = [];
  for (const { city, iso2, timezone, pop, lat, lng } of cityMapping) {
    // Against its own types the data holds some countries of -99 and time zones of null.
    const country = /^[A-Z]{2}$/.test(String(iso2)) ? iso2 : 'ZZ';
    const region = SOUTH_AMERICA.has(country)
      ? 'SA'
      : (REGION_BY_COUNTRY[country] ?? REGION_BY_ZONE[String(timezone).split('/')[0] ?? '']);
    if (!region || !(pop > 0)) continue;
    upTo += pop ** POPULATION_EXPONENT * DENSITY[region];
    cities.push({ city: plainName(city), country, region, lat, lng, upTo });
  }
  return cities;
}

/** No dots: "Washington, D.C." could be taken for a hostname. Typographic quotes become plain. */
function plainName(city: string): string {
  return city
    .normalize('NFC')
    .replaceAll('’', "'")
    .replaceAll('.', '')
    .replace(/[^\p{L}\p{N} \-'(),]/gu, ' ')
    .trim();
}

/** A place near a city, the larger the city the likelier; four decimals (about 10 m). */
export function randomPlace(random: Random): Place {
  const all = weightedCities();
  const target = random() * (all.at(-1)?.upTo ?? 0);
  let low = 0;
  let high = all.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle] as WeightedCity).upTo > target) high = middle;
    else low = middle + 1;
  }
  const { city, country, region, lat, lng } = all[low] as WeightedCity;
  return {
    city,
    country,
    region,
    lat: round(Math.min(90, Math.max(-90, lat + jitter(random)))),
    lng: round(((((lng + jitter(random) + 180) % 360) + 360) % 360) - 180),
  };
}

function jitter(random: Random): number {
  return between(random, -SPREAD_DEGREES, SPREAD_DEGREES);
}

function round(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000;
}
