import { geoOrthographic } from 'd3-geo';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { project } from '../map/mercator.ts';
import { between, dot, radiusAt, rotationTo, turnedBy, vectorOf, zoomAt } from './orientation.ts';

const position = fc.record({
  lat: fc.double({ min: -89.5, max: 89.5, noNaN: true }),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
});

test('places are where the projection of the land has them', () => {
  fc.assert(
    fc.property(position, position, (centre, place) => {
      const { right, up, front } = rotationTo(centre);
      const at = vectorOf(place);
      const land = geoOrthographic()
        .rotate([-centre.lng, -centre.lat])
        .scale(1)
        .translate([0, 0])
        .clipAngle(null);
      const [x, y] = land([place.lng, place.lat]) as [number, number];
      expect(dot(at, right)).toBeCloseTo(x, 6);
      expect(dot(at, up)).toBeCloseTo(-y, 6);
      // Unit vectors: what is not to the right or up is towards the viewer, or behind.
      expect(Math.hypot(dot(at, right), dot(at, up), dot(at, front))).toBeCloseTo(1, 6);
    }),
  );
});

test('its scale in the middle is that of the flat map at the same zoom', () => {
  const zoom = 3.25;
  const globe = dot(vectorOf({ lat: 0, lng: 0.01 }), rotationTo({ lat: 0, lng: 0 }).right);
  const flat = (project(0, 0.01).x - project(0, 0).x) * 2 ** zoom;
  expect(globe * radiusAt(zoom)).toBeCloseTo(flat, 6);
  expect(zoomAt(radiusAt(zoom))).toBeCloseTo(zoom);
});

test('what is in the middle follows the pointer, up to the poles', () => {
  const centre = { lat: 10, lng: 179 };
  const radius = 300;
  const turned = turnedBy(centre, -3, 6, radius);
  const { right, up } = rotationTo(turned);
  expect(dot(vectorOf(centre), right) * radius).toBeCloseTo(-3, 1);
  expect(dot(vectorOf(centre), up) * radius).toBeCloseTo(-6, 1);
  expect(turnedBy(centre, -30, 0, radius).lng).toBeLessThan(-174);
  expect(turnedBy(centre, 0, 1e6, radius).lat).toBe(90);
});

test('it turns the shorter way round', () => {
  expect(between({ lat: 0, lng: 170 }, { lat: 10, lng: -170 }, 0.75)).toEqual({
    lat: 7.5,
    lng: -175,
  });
});
