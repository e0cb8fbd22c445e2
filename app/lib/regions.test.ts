import { expect, test } from 'vitest';
import { regionName, regionText } from './regions.ts';

test('a country, a continent and an unknown region have names; other codes stay as they are', () => {
  expect(['DE', 'US', 'EU', 'NA', 'ZZ'].map(regionText)).toEqual([
    'DE (Germany)',
    'US (United States)',
    'EU (Europe)',
    'NA (North America)',
    'ZZ (unknown)',
  ]);
  for (const code of ['US-WEST', 'D', 'QQ', '42', '_-', 'REGION_OF_16_CHR']) {
    expect(regionName(code)).toBeNull();
    expect(regionText(code)).toBe(code);
  }
});
