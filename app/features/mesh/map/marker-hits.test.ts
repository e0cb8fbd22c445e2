import { beforeEach, describe, expect, test } from 'vitest';
import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { CELLS, cellOf, placeId, type Place } from '#server/mesh/places.schema.ts';
import { createPlaceFilter } from '../place-filter.ts';
import { MarkerHits, type Hit } from './marker-hits.ts';
import { markerText } from './marker-description.ts';
import { Markers } from './markers.ts';
import { project } from './mercator.ts';

/** CSS px for each px of the world at zoom 0: far enough in for places a degree apart to be markers of their own. */
const SCALE = 2 ** 7;
/** Radius of the icon of a single node of class S, CSS px. */
const SMALL = 4;

const place = (lat: number, lng: number, online: number, region = 'EU'): Place => {
  const counts = CELLS.map(() => 0);
  counts[cellOf('online', 'S')] = online;
  return { id: placeId({ lat, lng, region }), lat, lng, region, counts };
};

let head: PlacesHead;
const hitsOf = (...places: Place[]) => {
  const markers = new Markers();
  markers.replace(places);
  return new MarkerHits(markers, () => head);
};
/** What is drawn so many CSS px beside a position. */
const hit = (
  hits: MarkerHits,
  [lat, lng]: [number, number],
  dx = 0,
  dy = 0,
  reach = 0,
): Hit | null => {
  const { x, y } = project(lat, lng);
  return hits.hit({ x: x + dx / SCALE, y: y + dy / SCALE }, SCALE, reach);
};
const found = (...where: Parameters<typeof hit>) => {
  const what = hit(...where);
  return what && markerText(where[0].describe(what));
};

beforeEach(() => {
  head = {
    genesis: { id: 'genesis', label: 'Genesis', status: 'online', lat: 48, lng: 11 },
    genesisPlaced: false,
  } as PlacesHead;
});

describe('a click on the map', () => {
  test('hits a marker within its radius and the reach of the pointer, and nothing beyond', () => {
    const hits = hitsOf(place(48, 11, 1));
    expect(found(hits, [48, 11])).toBe('1 node, class S, Europe: 1 online');
    expect(hit(hits, [48, 11], SMALL + 4 - 0.01, 0, 4)).not.toBeNull();
    expect(hit(hits, [48, 11], SMALL + 4 + 0.01, 0, 4)).toBeNull();
  });

  test('hits the nearer of two markers', () => {
    const hits = hitsOf(place(48, 11, 1, 'DE'), place(48, 12, 2, 'AT'));
    const { x: west } = project(48, 11);
    const { x: east } = project(48, 12);
    const between = (east - west) * SCALE;
    expect(found(hits, [48, 11], between * 0.2, 0, between)).toContain('Germany');
    expect(found(hits, [48, 11], between * 0.8, 0, between)).toContain('Austria');
  });

  test('beside all markers hits nothing, and neither does one on an empty map', () => {
    expect(hit(hitsOf(place(48, 11, 1)), [10, 10])).toBeNull();
    expect(hit(hitsOf(), [48, 11], 0, 0, 14)).toBeNull();
  });

  test('hits a large cluster where its ring is, however far from its middle', () => {
    const hits = hitsOf(place(48, 11, 1_000_000));
    expect(hit(hits, [48, 11], 24)).not.toBeNull();
    expect(hit(hits, [48, 11], 26)).toBeNull();
  });
});

describe('Genesis', () => {
  test('is hit where it is drawn, if it has a position', () => {
    const hits = hitsOf();
    expect(hit(hits, [48, 11])).toBeNull();
    head = { ...head, genesisPlaced: true };
    expect(hit(hits, [48, 11])).toMatchObject({ kind: 'genesis' });
    expect(found(hits, [48, 11])).toMatch(/^Genesis, /);
  });

  test('is above the markers at its position, so that both can be hit', () => {
    head = { ...head, genesisPlaced: true };
    const hits = hitsOf(place(48, 11, 900));
    const lift = hits.lift(SCALE);
    const genesis = hit(hits, [48, 11], 0, -lift);
    expect(genesis).toMatchObject({ kind: 'genesis' });
    expect(genesis?.y).toBeCloseTo(project(48, 11).y * SCALE - lift);
    expect(found(hits, [48, 11])).toContain('900 nodes');
    // They don't touch.
    const below = hit(hits, [48, 11]);
    expect(lift).toBeGreaterThan((genesis?.radius ?? Infinity) + (below?.radius ?? Infinity));
  });

  test('stays where it is if nothing is near it', () => {
    head = { ...head, genesisPlaced: true };
    expect(hitsOf().lift(SCALE)).toBe(0);
    expect(hitsOf(place(10, 10, 5)).lift(SCALE)).toBe(0);
    // 30 px beside it, where only a large cluster would reach.
    const near = 11 + (30 / SCALE / 256) * 360;
    expect(hitsOf(place(48, near, 1)).lift(SCALE)).toBe(0);
    expect(hitsOf(place(48, near, 1_000_000)).lift(SCALE)).toBeGreaterThan(0);
  });
});

test('of a past moment nobody knows the class of a single node', () => {
  const markers = new Markers();
  const filter = createPlaceFilter({ status: [], class: null, region: null });
  markers.show({ filter, places: [place(48, 11, 1)], past: true }, { rows: () => [] });
  const text = found(new MarkerHits(markers, () => head), [48, 11]);
  expect(text).toContain('1 node');
  expect(text).not.toContain('class');
});

test('the keyboard reaches everything in view, with Genesis', () => {
  const hits = hitsOf(place(48, 11, 1), place(48, 13, 2), place(-40, 100, 3));
  const west = project(49, 10);
  const east = project(47, 14);
  const box = { left: west.x, right: east.x, top: west.y, bottom: east.y };
  expect(hits.hitsIn(box, SCALE).map(({ kind }) => kind)).toEqual(['marker', 'marker']);
  head = { ...head, genesisPlaced: true };
  expect(hits.hitsIn(box, SCALE).map(({ kind }) => kind)).toEqual(['marker', 'marker', 'genesis']);
});

test('names give way to markers in every copy of the world that is shown', () => {
  const hits = hitsOf(place(48, 11, 1));
  const { x, y } = project(48, 11);
  const obstacles = hits.obstacles({
    ...{ scale: SCALE, x: x * SCALE - 100, y: y * SCALE - 50, width: 200, height: 100, ratio: 1 },
    worlds: [0, 256],
  });
  [100, 50, SMALL, 100 + 256 * SCALE, 50, SMALL].forEach((expected, n) =>
    expect(obstacles[n]).toBeCloseTo(expected),
  );
  expect(obstacles).toHaveLength(6);
});
