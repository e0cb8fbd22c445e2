import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quantize } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { columnOrder, placeColumns, readColumns } from './place-columns.schema.ts';
import { CELLS, placeId, type Place } from './places.schema.ts';

const place: fc.Arbitrary<Place> = fc
  .record({
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lng: fc.double({ min: -180, max: 180, noNaN: true }),
    grid: fc.constantFrom(0.1, 0.3, 0.5, 1, 7),
    region: fc.constantFrom('EU', 'NA', 'ZZ', '__PROTO__'),
    counts: fc.array(fc.nat(), { minLength: CELLS.length, maxLength: CELLS.length }),
  })
  .map(({ lat, lng, grid, region, counts }) => {
    const at = { ...quantize(lat, lng, grid), region };
    return { ...at, id: placeId(at), counts };
  });

test('places read back from their columns exactly as they were, on any grid', () => {
  fc.assert(
    fc.property(fc.uniqueArray(place, { selector: ({ id }) => id }), (places) => {
      const ordered = [...places].sort(columnOrder);
      const sent = JSON.parse(JSON.stringify(placeColumns(ordered)));
      expect(readColumns(sent)).toEqual(ordered);
    }),
  );
});
