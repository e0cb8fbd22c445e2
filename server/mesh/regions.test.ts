import { expect, test } from 'vitest';
import { regionAt } from './regions.ts';

test.each([
  ['San Francisco', 37.5, -122.5, 'NA'],
  ['Honolulu', 21.5, -158, 'OC'],
  ['Bermuda', 32.5, -65, 'NA'],
  ['Cayenne', 5, -52.5, 'SA'],
  ['Reykjavík', 64, -22, 'EU'],
  ['the west of the Bosphorus', 41, 29, 'EU'],
  ['Ankara', 40, 33, 'AS'],
  ['Moscow', 55.5, 37.5, 'EU'],
  ['Novosibirsk', 55, 83, 'AS'],
  ['Malé', 4, 73.5, 'AS'],
  ['Cape Town', -34, 18.5, 'AF'],
  ['Sydney', -34, 151, 'OC'],
  ['the south pole', -90, 0, 'AN'],
  ['Chukotka, beyond the date line', 66, -172, 'AS'],
  ['Fiji at the date line', -17, -180, 'OC'],
  ['the Atlantic', 40, -30, 'ZZ'],
  ['the Atlantic at the latitude of Chukotka', 66.5, -30.5, 'ZZ'],
  ['the Gulf of Guinea', 0, 0, 'ZZ'],
  ['the north pole', 90, 0, 'ZZ'],
])('%s', (_, lat, lng, region) => {
  expect(regionAt(lat, lng, 0.5)).toBe(region);
});

test('a fine grid has the same regions, also at the edge of the table', () => {
  expect(regionAt(37.8, -122.4, 0.1)).toBe('NA');
  expect(regionAt(-89.9, 179.9, 0.1)).toBe('AN');
  expect(regionAt(66, 179.9, 0.1)).toBe('AS');
});

test('with a coarse grid, the continent with most land in the square counts, even if the point is at sea', () => {
  expect(regionAt(40, -30, 20)).toBe('EU');
  expect(regionAt(40, -40, 10)).toBe('ZZ');
  expect(regionAt(-15, 180, 5)).toBe('OC');
  // Svalbard.
  expect(regionAt(90, 0, 30)).toBe('EU');
});
