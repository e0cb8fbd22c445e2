import { beforeEach, describe, expect, test } from 'vitest';
import type { PlacesHead } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { CELLS, cellOf, placeId, type Place } from '#server/mesh/places.schema.ts';
import { createPlaceFilter } from '../place-filter.ts';
import { CALLOUT } from './callouts.ts';
import { MarkerHits, type Hit } from './marker-hits.ts';
import { markerText } from './marker-description.ts';
import { Markers } from './markers.ts';
import { project } from './mercator.ts';
import { ringRadius } from './rings.ts';

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
  test('hits a small marker within the reach of the pointer, and nothing beyond', () => {
    const hits = hitsOf(place(48, 11, 1));
    expect(found(hits, [48, 11])).toBe('1 node, class S, Europe: 1 online');
    expect(hit(hits, [48, 11], 12 - 0.01, 0, 12)).not.toBeNull();
    expect(hit(hits, [48, 11], 12 + 0.01, 0, 12)).toBeNull();
    expect(hit(hits, [48, 11], SMALL - 0.01)).not.toBeNull();
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
    const radius = ringRadius(1_000_000);
    expect(hit(hits, [48, 11], radius - 0.1, 0, 12)).not.toBeNull();
    expect(hit(hits, [48, 11], radius + 0.1, 0, 12)).toBeNull();
  });

  test('doesn’t hit what the filter dims', () => {
    const markers = new Markers();
    markers.replace([place(48, 11, 3, 'DE'), place(48, 12, 2, 'AT')]);
    markers.filter(createPlaceFilter({ status: [], class: [], region: 'AT' }));
    const hits = new MarkerHits(markers, () => head);
    expect(hit(hits, [48, 11], 0, 0, 12)).toBeNull();
    expect(found(hits, [48, 12])).toContain('2 nodes');
  });
});

describe('Genesis', () => {
  const genesisOf = (hits: MarkerHits) => hits.callouts(SCALE).genesis;

  test('is hit where it is drawn, if it has a position', () => {
    const hits = hitsOf();
    expect(hit(hits, [48, 11])).toBeNull();
    head = { ...head, genesisPlaced: true };
    expect(hit(hits, [48, 11])).toMatchObject({ kind: 'genesis' });
    expect(found(hits, [48, 11])).toMatch(/^Genesis, /);
  });

  test('is beside the marker at its position, on a short line, so that both can be hit', () => {
    head = { ...head, genesisPlaced: true };
    const hits = hitsOf(place(48, 11, 90));
    const at = genesisOf(hits);
    if (!at) throw new Error('Genesis is not drawn.');
    const { x, y } = project(48, 11);
    expect(at.lead).toBe(true);
    expect(at.foot.x).toBeCloseTo(x * SCALE);
    const [dx, dy] = [at.x - x * SCALE, at.y - y * SCALE];
    expect(Math.hypot(dx, dy)).toBeGreaterThanOrEqual(20);
    expect(Math.hypot(dx, dy)).toBeLessThanOrEqual(50.01);
    expect(hit(hits, [48, 11], dx, dy)).toMatchObject({ kind: 'genesis' });
    expect(found(hits, [48, 11])).toContain('90 nodes');
  });

  test('stays where it is if nothing is near it', () => {
    head = { ...head, genesisPlaced: true };
    expect(genesisOf(hitsOf())?.lead).toBe(false);
    expect(genesisOf(hitsOf(place(10, 10, 5)))?.lead).toBe(false);
  });
});

test('the chosen node has a callout of its own, which hides neither its cluster nor Genesis', () => {
  head = { ...head, genesisPlaced: true };
  const hits = hitsOf(place(48, 11, 12));
  hits.chosen = { lat: 48, lng: 11, label: 'attic' };
  const { genesis, chosen } = hits.callouts(SCALE);
  if (!genesis || !chosen) throw new Error('Both have a place.');
  const { x, y } = project(48, 11);
  const apart = (a: { x: number; y: number }, b: { x: number; y: number }) =>
    Math.hypot(a.x - b.x, a.y - b.y);
  expect(apart(genesis, chosen)).toBeGreaterThanOrEqual(2 * CALLOUT);
  expect(apart(chosen, { x: x * SCALE, y: y * SCALE })).toBeGreaterThanOrEqual(
    CALLOUT + ringRadius(12),
  );
  // Alone at its place it needs no line.
  const alone = hitsOf(place(10, 10, 1));
  alone.chosen = { lat: 10, lng: 10, label: 'attic' };
  expect(alone.callouts(SCALE).chosen?.lead).toBe(false);
});

test('of a past moment nobody knows the class of a single node', () => {
  const markers = new Markers();
  const filter = createPlaceFilter({ status: [], class: [], region: null });
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

test('names give way to markers, and to Genesis with its name', () => {
  const hits = hitsOf(place(48, 11, 1));
  const { x, y } = project(48, 11);
  const view = {
    ...{ scale: SCALE, x: x * SCALE - 100, y: y * SCALE - 50, width: 200, height: 100, ratio: 1 },
    cut: 0,
  };
  [100, 50, SMALL].forEach((expected, n) => expect(hits.obstacles(view)[n]).toBeCloseTo(expected));
  expect(hits.obstacles(view)).toHaveLength(3);
  head = { ...head, genesisPlaced: true };
  expect(hits.obstacles(view).length).toBeGreaterThan(6);
});
