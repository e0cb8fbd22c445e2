import { expect, test } from 'vitest';
import { readPlace, type PlaceTuple } from '#server/mesh/places.schema.ts';
import { BallMarkers, mergedMarker } from './ball-markers.ts';
import { latLngOf } from './orientation.ts';

const MUNICH: PlaceTuple = [48, 11.5, 'DE', 2, 1];
const AUSTIN: PlaceTuple = [30.5, -98, 'US', 1];

const markersOf = (...places: PlaceTuple[]) => {
  const markers = new BallMarkers();
  markers.replace(places.map(readPlace));
  return markers;
};

test('nodes that are near each other share a marker, and those on the other side have their own', () => {
  const markers = markersOf(MUNICH, [48.5, 12, 'DE', 4], AUSTIN).at(1.5);
  expect(markers.map(({ total }) => total)).toEqual([1, 7]);
  const [, cluster] = markers;
  const { lat = 0, lng = 0 } = cluster ? latLngOf(cluster.at) : {};
  expect(lat).toBeGreaterThan(48);
  expect(lat).toBeLessThan(48.5);
  expect(lng).toBeGreaterThan(11.5);
  expect(lng).toBeLessThan(12);
});

test('they share it across the date line, too', () => {
  const markers = markersOf([-17, 179.5, 'FJ', 1], [-17, -179.5, 'FJ', 1]).at(1.5);
  expect(markers).toMatchObject([{ total: 2 }]);
});

test('further in they are apart, and each place is found in its marker', () => {
  const markers = markersOf(MUNICH, [48.5, 12, 'DE', 4]);
  expect(markers.at(6.5)).toHaveLength(2);
  expect(markers.of({ lat: 48, lng: 11.5 }, 6.5)).toMatchObject({ total: 3 });
  expect(markers.of({ lat: 48, lng: 11.5 }, 1)).toMatchObject({ total: 7 });
  expect(markers.of({ lat: 0, lng: 0 }, 1)).toBeUndefined();
});

test('two that become one at the edge of the globe have the nodes of both', () => {
  const [small, large] = markersOf(MUNICH, AUSTIN).at(1.5);
  if (!small || !large) throw new Error('Both have a marker.');
  const merged = mergedMarker(large, small);
  expect(merged).toMatchObject({ total: 4, count: 4, icon: null, gridPoint: null });
  expect(merged.byStatus).toEqual(large.byStatus.map((n, at) => n + (small.byStatus[at] ?? 0)));
  expect(merged.points).toHaveLength(2);
  expect(Math.hypot(...merged.at)).toBeCloseTo(1);
});

test('other states of the same nodes change what a marker shows, and not where it is', () => {
  const markers = new BallMarkers();
  markers.replace([readPlace(MUNICH), readPlace(AUSTIN)]);
  const before = markers.at(1.5);
  markers.set(readPlace([48, 11.5, 'DE', 1, 1, 0, 1]));
  const after = markers.at(1.5);
  expect(after.map(({ byStatus }) => byStatus)).not.toEqual(before.map(({ byStatus }) => byStatus));
  // The very same positions: its cluster wasn't made again.
  expect(after.every(({ at }, n) => at === before[n]?.at)).toBe(true);
  markers.set(readPlace([48, 11.5, 'DE', 2, 1, 0, 1]));
  expect(markers.at(1.5).some(({ at }) => before.some((marker) => marker.at === at))).toBe(false);
});
