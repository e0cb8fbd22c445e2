import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isFiltered,
  JOINED_WITHIN,
  meshHref,
  nodesSearch,
  NODE_SORTS,
  NO_FILTER,
  parseMeshQuery,
  sortedBy,
  surveyPeers,
  type Filterable,
  type JoinedWithin,
  type MeshQuery,
  type NodeSort,
} from './mesh-query.schema.ts';
import { NODE_CLASSES, PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';

const parse = (search: string) => parseMeshQuery(new URLSearchParams(search));
const NOTHING = parse('');
const NOW = Date.parse('2026-07-17T12:00:00.000Z');

describe('the URL of the map', () => {
  test('is plain without any choices', () => {
    expect(meshHref(NOTHING)).toBe('/');
    expect(isFiltered(NOTHING)).toBe(false);
  });

  test('restores every choice', () => {
    const query: fc.Arbitrary<MeshQuery> = fc.record({
      view: fc.constantFrom('map', 'list'),
      namesView: fc.boolean(),
      q: fc
        .string({ maxLength: 64, unit: 'grapheme' })
        .map((text) => text.trim().slice(0, 64).trim()),
      status: fc.subarray([...PEER_STATUSES]),
      class: fc.subarray([...NODE_CLASSES]),
      region: fc.option(fc.constantFrom('EU', 'US-CA', 'A_1')),
      joined: fc.option(fc.constantFrom(...(Object.keys(JOINED_WITHIN) as JoinedWithin[]))),
      node: fc.option(fc.constantFrom('node_a', '__proto__', 'genesis')),
      at: fc.option(fc.constantFrom({ lat: 48, lng: 11.5 }, { lat: -90, lng: 180 })),
      sort: fc.constantFrom(...NODE_SORTS),
      descending: fc.boolean(),
      page: fc.integer({ min: 1, max: 999_999_999 }),
      map: fc.option(
        fc.constantFrom({ lat: 48, lng: -11.5, zoom: 5.25 }, { lat: -90, lng: 180, zoom: 0 }),
      ),
      folded: fc.boolean(),
      replay: fc.option(
        fc.constantFrom(
          { span: '24h' as const, at: null },
          { span: '24h' as const, at: Date.parse('2026-07-17T12:15Z') },
          { span: '90d' as const, at: Date.parse('2026-07-17') },
        ),
      ),
    });
    fc.assert(
      fc.property(query, (made) => {
        // Only of the flat map it is a choice.
        const query = { ...made, namesView: made.namesView && made.view === 'map' };
        const { searchParams } = new URL(meshHref(query), 'http://localhost');
        expect(parseMeshQuery(searchParams)).toEqual(query);
      }),
    );
  });

  test('of a file has the filters and the order, and nothing of the view', () => {
    const search = 'q=attic&status=idle,offline&class=S&region=EU&joined=7d&sort=-seen';
    expect(
      nodesSearch(parse(`view=list&${search}&node=node_a&page=3&map=48,11.5,4&panel=folded`)),
    ).toBe(`?${search}`);
    expect(nodesSearch(NOTHING)).toBe('');
  });

  test('a click on a column sorts by it, the next one the other way round, from the first page', () => {
    const clicks = (...columns: NodeSort[]) =>
      meshHref(columns.reduce(sortedBy, parse('view=list&page=3')));
    expect(clicks('name')).toBe('/?view=list&sort=name');
    expect(clicks('name', 'name')).toBe('/?view=list&sort=-name');
    expect(clicks('joined')).toBe('/?view=list&sort=-joined');
    expect(clicks('name', 'joined')).toBe('/?view=list');
    // What was seen last is looked for first.
    expect(clicks('seen')).toBe('/?view=list&sort=-seen');
    expect(clicks('seen', 'seen')).toBe('/?view=list&sort=seen');
  });

  test.each([
    'sort=size',
    'sort=-',
    'replay=1h',
    'replay=24h,now',
    'page=0',
    'page=-1',
    'page=1e3',
    'page=9999999999',
    'status=gone',
    'class=XL',
    'region=<b>',
    'joined=1y',
    'node=a%20b',
    'at=91,0',
    'map=48,11.5',
    'map=91,0,3',
    'map=0,0,10.5',
    'panel=open',
    'at=1',
    'at=1,2,3',
    'at=,',
    'at=.,1',
    'view=table',
  ])('%s is invalid and counts as absent', (search) => {
    expect(parse(search)).toEqual(NOTHING);
  });
});

describe('the filter', () => {
  const peer = (id: string, more: Partial<Filterable> = {}): Filterable => ({
    id,
    label: id,
    status: 'online',
    class: 'S',
    region: 'EU',
    joinedAt: '2026-07-01T00:00:00.000Z',
    ...more,
  });
  const peers = [
    peer('node_a', { label: 'Garage' }),
    peer('node_b', { status: 'idle', region: 'NA' }),
    peer('GARAGE_2', { class: 'L', joinedAt: '2026-07-17T11:30:00.000Z' }),
  ];
  const survey = (filter: Partial<typeof NO_FILTER>) => {
    const { matched, facets } = surveyPeers(peers, { ...NO_FILTER, ...filter }, NOW, (row) => row);
    return { ids: matched.map(({ id }) => id), facets };
  };

  test('finds part of an id or label, in either case', () => {
    expect(survey({ q: 'garage' }).ids).toEqual(['node_a', 'GARAGE_2']);
    expect(survey({ q: 'NODE_' }).ids).toEqual(['node_a', 'node_b']);
  });

  test('filters by status, class, region and age', () => {
    expect(survey({ status: ['idle', 'offline'] }).ids).toEqual(['node_b']);
    expect(survey({ class: ['L'] }).ids).toEqual(['GARAGE_2']);
    expect(survey({ region: 'NA' }).ids).toEqual(['node_b']);
    expect(survey({ joined: '1h' }).ids).toEqual(['GARAGE_2']);
    expect(survey({ joined: '30d' }).ids).toEqual(['node_a', 'node_b', 'GARAGE_2']);
  });

  test('the count beside a choice is what it would show with the rest of the filter unchanged', () => {
    const { facets } = survey({ status: ['idle'], region: 'EU' });
    expect(facets.status).toEqual({ online: 2, syncing: 0, idle: 0, offline: 0 });
    expect({ ...facets.region }).toEqual({ NA: 1 });
    expect(facets.class).toEqual({ S: 0, M: 0, L: 0 });
  });

  test('a region may have the name of an Object.prototype property', () => {
    const { facets } = surveyPeers(
      [peer('a', { region: '__PROTO__' }), peer('b', { region: 'CONSTRUCTOR' })],
      NO_FILTER,
      NOW,
      (row) => row,
    );
    expect(Object.entries(facets.region)).toEqual([
      ['__PROTO__', 1],
      ['CONSTRUCTOR', 1],
    ]);
  });
});
