import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NODE_CLASSES, PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import {
  NO_FILTER,
  parseMeshQuery,
  surveyPeers,
  type Facets,
  type Filterable,
  type PeerFilter,
} from '#server/mesh/mesh-query.schema.ts';
import { CELLS, cellOf, placeId, type Place } from '#server/mesh/places.schema.ts';
import {
  createPlaceFilter,
  regionChoices,
  surveyPlaces,
  toggledStatus,
  totalsOf,
} from './place-filter.ts';

type PlaceFilter = Pick<PeerFilter, 'status' | 'class' | 'region'>;
type Node = Pick<Filterable, 'status' | 'class' | 'region'> & { lat: number };

const ALL: PlaceFilter = { status: [], class: [], region: null };
const survey = (nodes: Node[], filter: Partial<PlaceFilter> = {}) =>
  surveyPlaces(placesOf(nodes), { ...ALL, ...filter });

/** The nodes by place, as the server counts them. */
function placesOf(nodes: Node[]): Place[] {
  const places = new Map<string, Place & { counts: number[] }>();
  for (const { lat, region, status, class: size } of nodes) {
    const at = { lat, lng: 0, region };
    const id = placeId(at);
    const place = places.get(id) ?? { ...at, id, counts: CELLS.map(() => 0) };
    places.set(id, place);
    const cell = cellOf(status, size);
    place.counts[cell] = (place.counts[cell] ?? 0) + 1;
  }
  return [...places.values()];
}

const anyNode: fc.Arbitrary<Node> = fc.record({
  lat: fc.constantFrom(0, 1),
  region: fc.constantFrom('EU', 'NA', '__PROTO__'),
  status: fc.constantFrom(...PEER_STATUSES),
  class: fc.constantFrom(...NODE_CLASSES),
});
const anyFilter: fc.Arbitrary<PlaceFilter> = fc.record({
  status: fc.subarray([...PEER_STATUSES]),
  class: fc.subarray([...NODE_CLASSES]),
  region: fc.option(fc.constantFrom('EU', 'NA', 'QQ', '__PROTO__', 'constructor')),
});

const EU = { lat: 48, region: 'EU' };
const NA = { lat: 40, region: 'NA' };
const NODES: Node[] = [
  { ...EU, status: 'online', class: 'L' },
  { ...EU, status: 'idle', class: 'S' },
  { ...NA, status: 'idle', class: 'L' },
  { ...NA, status: 'offline', class: 'M' },
];

describe('a filter of the map', () => {
  test.each([
    ['nothing', {}, 4],
    ['a status', { status: ['idle'] }, 2],
    ['several statuses', { status: ['idle', 'offline'] }, 3],
    ['a class', { class: ['L'] }, 2],
    ['a region', { region: 'EU' }, 2],
    ['several classes', { class: ['S', 'L'] }, 3],
    ['a status and a class', { status: ['idle'], class: ['L'] }, 1],
    ['a status and a region', { status: ['idle'], region: 'EU' }, 1],
    ['all three', { status: ['online'], class: ['L'], region: 'NA' }, 0],
    ['a region without nodes', { region: 'QQ' }, 0],
  ] as [string, Partial<PlaceFilter>, number][])('by %s matches its nodes', (_, filter, matches) =>
    expect(survey(NODES, filter).matches).toBe(matches),
  );

  test('the count beside a choice is what it would show with the rest of the filter unchanged', () => {
    const { facets } = survey(NODES, { status: ['idle'], class: ['L'] });
    expect(facets.status).toEqual({ online: 1, syncing: 0, idle: 1, offline: 0 });
    expect(facets.class).toEqual({ S: 1, M: 0, L: 1 });
    expect({ ...facets.region }).toEqual({ NA: 1 });
    // Not even one that every object has.
    expect('constructor' in facets.region).toBe(false);
  });

  test('counts places as the server counts their nodes, whatever is filtered', () => {
    fc.assert(
      fc.property(fc.array(anyNode, { maxLength: 30 }), anyFilter, (nodes, filter) => {
        const { matched, facets } = surveyPeers(nodes, { ...NO_FILTER, ...filter }, 0, (node) => ({
          ...node,
          id: '',
          label: '',
          joinedAt: '',
        }));
        const surveyed = survey(nodes, filter);
        expect(surveyed.matches).toBe(matched.length);
        expect(surveyed.facets).toEqual(facets);
      }),
      { numRuns: 200 },
    );
  });

  test('the map draws the same nodes that are counted', () => {
    fc.assert(
      fc.property(fc.array(anyNode, { maxLength: 30 }), anyFilter, (nodes, filter) => {
        const { cells, region } = createPlaceFilter(filter);
        let drawn = 0;
        for (const place of placesOf(nodes))
          if (region === null || region === place.region)
            place.counts.forEach((count, cell) => (drawn += cells[cell] ? count : 0));
        expect(drawn).toBe(survey(nodes, filter).matches);
      }),
    );
  });
});

test('of a past step only the nodes are known, and all of them count', () => {
  // Its places have one cell.
  const past: Place = { id: 'x', lat: 0, lng: 0, region: 'EU', counts: [5] };
  expect(surveyPlaces([past], ALL).matches).toBe(5);
});

test('the totals are all nodes, by status', () => {
  expect(totalsOf(survey(NODES))).toEqual({
    peers: 4,
    online: 1,
    syncing: 0,
    idle: 2,
    offline: 1,
  });
  expect(totalsOf(survey([]))).toEqual({ peers: 0, online: 0, syncing: 0, idle: 0, offline: 0 });
});

const facetsOf = (region: Record<string, number>): Facets => ({
  status: { online: 0, syncing: 0, idle: 0, offline: 0 },
  class: { S: 0, M: 0, L: 0 },
  region: Object.assign(Object.create(null) as Record<string, number>, region),
});

test('regions are listed with their counts, those with most nodes first, equal ones by their codes', () => {
  expect(regionChoices(facetsOf({ NA: 2, ZZ: 7, EU: 2 }), null)).toEqual([
    ['ZZ', 7],
    ['EU', 2],
    ['NA', 2],
  ]);
});

test('the chosen region stays in the list when its last node is gone, and is listed once otherwise', () => {
  expect(regionChoices(facetsOf({ EU: 2 }), 'QQ')).toEqual([
    ['EU', 2],
    ['QQ', 0],
  ]);
  expect(regionChoices(facetsOf({ EU: 2 }), 'EU')).toEqual([['EU', 2]]);
  // Not one that objects have by themselves.
  expect(regionChoices(facetsOf({}), 'constructor')).toEqual([['constructor', 0]]);
});

test('a status in the legend is added to those that are shown, and removed by the second click', () => {
  expect(toggledStatus([], 'idle')).toEqual(['idle']);
  expect(toggledStatus(['idle'], 'online')).toEqual(['online', 'idle']);
  expect(toggledStatus(['online', 'idle'], 'idle')).toEqual(['online']);
  expect(toggledStatus(['online'], 'online')).toEqual([]);
});

test('the same statuses are the same URL, in whatever order they were clicked', () => {
  const clicked = [...PEER_STATUSES]
    .reverse()
    .reduce<(typeof PEER_STATUSES)[number][]>(toggledStatus, []);
  expect(clicked).toEqual(PEER_STATUSES);
  expect(parseMeshQuery(new URLSearchParams('status=offline,gone,online')).status).toEqual([
    'online',
    'offline',
  ]);
});
