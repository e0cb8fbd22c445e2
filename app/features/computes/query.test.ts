import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Compute } from '#server/computes/computes.schema.ts';
import { COMPUTE_STATUSES, VISIBILITIES } from '#server/computes/values.schema.ts';
import { NODE_CLASSES } from '#server/common/values.schema.ts';
import {
  ALL,
  apiCall,
  filterCount,
  parseQuery,
  queryString,
  select,
  SORT_KEYS,
  sortedBy,
  toggled,
  totalsOf,
  unfiltered,
  type DirectoryQuery,
} from './query.ts';

const parse = (search: string) => parseQuery(new URLSearchParams(search));

const compute = (fields: Partial<Compute> = {}): Compute => {
  const { name = 'fire', nodeId = 'node_a' } = fields;
  return {
    id: `${nodeId}:${name}`,
    name,
    nodeId,
    label: 'garage',
    image: 'alpine:3.20',
    visibility: 'public',
    class: 'M',
    backend: 'docker',
    replicas: 4,
    freeSlots: 2,
    status: 'available',
    lastSeen: '2026-07-17T12:00:00.000Z',
    firstSeen: '2026-07-17T11:00:00.000Z',
    ...fields,
  };
};

const anyQuery: fc.Arbitrary<DirectoryQuery> = fc.record({
  q: fc.constantFrom('', 'fire', 'FIRE alpine', 'é ü'),
  status: fc.subarray([...COMPUTE_STATUSES]),
  visibility: fc.subarray([...VISIBILITIES]),
  class: fc.subarray([...NODE_CLASSES]),
  backend: fc.constantFrom('', 'docker', 'constructor', 'a.b_c-d'),
  free: fc.integer({ min: 0, max: 10 }),
  sort: fc.constantFrom(...SORT_KEYS),
  descending: fc.boolean(),
  page: fc.integer({ min: 1, max: 99 }),
});

const anyCompute = fc
  .record({
    name: fc.constantFrom('fire', 'llm-serve', 'ocr'),
    nodeId: fc.constantFrom('node_a', 'node_b', '__proto__'),
    image: fc.constantFrom('alpine:3.20', 'tesseract:5', ''),
    visibility: fc.constantFrom(...VISIBILITIES),
    class: fc.constantFrom(...NODE_CLASSES),
    backend: fc.constantFrom('docker', 'constructor'),
    freeSlots: fc.integer({ min: 0, max: 12 }),
    status: fc.constantFrom(...COMPUTE_STATUSES),
  })
  .map(compute);

describe('the URL', () => {
  test('of the whole list is bare, and every query comes back from its own', () => {
    expect(queryString(ALL)).toBe('');
    expect(parse('')).toEqual(ALL);
    fc.assert(
      fc.property(anyQuery, (query) => {
        expect(parse(queryString(query))).toEqual(query);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    'status=free&status=',
    'visibility=all',
    'class=XL&class=s',
    'backend=Docker',
    `backend=${'x'.repeat(33)}`,
    'free=-1',
    'free=two',
    'free=1e3',
    'free=9999999',
    'sort=size',
    'sort=--name',
    'sort=-',
    'page=0',
    'page=-2',
    'page=1.5',
    `q=${'x'.repeat(256)}`,
    'q=%20%20',
    'nonsense=1',
  ])('with %s shows the whole list', (search) => expect(parse(search)).toEqual(ALL));

  test('is the same for queries that mean the same', () => {
    const search = queryString(parse('page=1&class=L&q=+fire++x&class=S&class=L&sort=name&free=0'));
    expect(search).toBe('?q=fire+x&class=S&class=L');
  });
});

describe('the filters', () => {
  const ids = (rows: Compute[], search: string) =>
    select(rows, parse(search)).rows.map(({ id }) => id);

  test('the search finds every word in name, node, label or image, whatever the case', () => {
    const rows = [
      compute({ name: 'fire', label: 'Zürich 4', image: 'ghcr.io/acme/serve:1.4' }),
      compute({ name: 'ocr', nodeId: 'node_B' }),
    ];
    for (const q of ['FIRE', 'zürich', 'acme/serve', 'fire zür 1.4', 'node_a'])
      expect(ids(rows, `q=${encodeURIComponent(q)}`)).toEqual(['node_a:fire']);
    expect(ids(rows, 'q=NODE_b')).toEqual(['node_B:ocr']);
    expect(ids(rows, 'q=fire+ocr')).toEqual([]);
    expect(ids(rows, 'q=docker')).toEqual([]);
  });

  test('free slots are those of now: an offline compute has none, whatever it said last', () => {
    const rows = [
      compute({ name: 'aa', freeSlots: 3 }),
      compute({ name: 'bb', freeSlots: 9, status: 'offline' }),
      compute({ name: 'cc', freeSlots: 0, status: 'busy' }),
    ];
    expect(ids(rows, 'free=1')).toEqual(['node_a:aa']);
    expect(ids(rows, 'free=4')).toEqual([]);
    expect(ids(rows, 'sort=-free')).toEqual(['node_a:aa', 'node_a:bb', 'node_a:cc']);
    expect(totalsOf(rows)).toEqual({
      total: 3,
      available: 1,
      busy: 1,
      offline: 1,
      replicas: 12,
      freeSlots: 3,
      nodes: 1,
      freeReplicas: 3,
    });
    expect(totalsOf([compute({ freeSlots: 9 })])).toMatchObject({ freeSlots: 9, freeReplicas: 4 });
  });

  test('the count of a value is what choosing it alone shows', () => {
    fc.assert(
      fc.property(fc.array(anyCompute, { maxLength: 30 }), anyQuery, (rows, query) => {
        const { facets } = select(rows, query);
        for (const status of COMPUTE_STATUSES)
          expect(facets.status[status]).toBe(
            select(rows, { ...query, status: [status] }).rows.length,
          );
        for (const size of NODE_CLASSES)
          expect(facets.class[size]).toBe(select(rows, { ...query, class: [size] }).rows.length);
        for (const visibility of VISIBILITIES)
          expect(facets.visibility[visibility]).toBe(
            select(rows, { ...query, visibility: [visibility] }).rows.length,
          );
        for (const backend of ['docker', 'constructor'])
          expect(facets.backend[backend] ?? 0).toBe(
            select(rows, { ...query, backend }).rows.length,
          );
      }),
      { numRuns: 100 },
    );
  });

  test('a value is chosen and given up again, and the page begins anew', () => {
    const chosen = toggled(parse('status=busy&page=3'), 'status', 'available');
    expect(queryString(chosen)).toBe('?status=available&status=busy');
    expect(queryString(toggled(chosen, 'status', 'busy'))).toBe('?status=available');
    expect(filterCount(parse('q=x&status=busy&class=S&class=L&free=2&backend=a'))).toBe(4);
    expect(queryString(unfiltered(parse('q=x&status=busy&sort=-free&page=2')))).toBe('?sort=-free');
  });
});

describe('the order', () => {
  test('turns round on a second choice; most free and latest come first', () => {
    expect(queryString(sortedBy(ALL, 'name'))).toBe('?sort=-name');
    expect(queryString(sortedBy(ALL, 'free'))).toBe('?sort=-free');
    expect(queryString(sortedBy(parse('sort=-free&page=4'), 'free'))).toBe('?sort=free');
    expect(queryString(sortedBy(ALL, 'node'))).toBe('?sort=node');
  });

  test('is whole: the same rows in any order are listed alike, and descending is ascending reversed', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyCompute, { selector: ({ id }) => id, maxLength: 9 }),
        fc.constantFrom(...SORT_KEYS),
        fc.boolean(),
        (rows, sort, descending) => {
          const query = { ...ALL, sort, descending };
          const listed = select(rows, query).rows;
          expect(select([...rows].reverse(), query).rows).toEqual(listed);
          expect(listed).toHaveLength(rows.length);
        },
      ),
      { numRuns: 100 },
    );
    const rows = ['S', 'L', 'M'].map((size, at) =>
      compute({ name: `c${at}`, class: size as Compute['class'] }),
    );
    expect(select(rows, parse('sort=class')).rows.map((row) => row.class)).toEqual(['S', 'M', 'L']);
    expect(select(rows, parse('sort=-class')).rows.map((row) => row.class)).toEqual([
      'L',
      'M',
      'S',
    ]);
  });
});

describe('the API call', () => {
  test.each([
    ['', '', []],
    ['status=available', '?available=1', []],
    ['free=1&visibility=public', '?available=1&visibility=public', []],
    ['visibility=public&visibility=private', '', []],
    ['free=4', '?available=1', ['at least 4 free slots']],
    ['status=busy&q=x&class=S&backend=docker', '', ['status', 'search', 'class', 'backend']],
  ])('of "%s" is "%s"', (search, call, beyond) =>
    expect(apiCall(parse(search))).toEqual({ search: call, beyond }),
  );

  test('holds every row that the page shows', () => {
    fc.assert(
      fc.property(fc.array(anyCompute, { maxLength: 20 }), anyQuery, (rows, query) => {
        const params = new URLSearchParams(apiCall(query).search);
        const visibility = params.get('visibility');
        const answer = rows.filter(
          (row) =>
            (!params.has('available') || (row.status === 'available' && row.freeSlots > 0)) &&
            (visibility === null || row.visibility === visibility),
        );
        // As the service derives it: available means that something is free.
        const possible = rows.filter((row) => (row.status === 'available') === row.freeSlots > 0);
        for (const row of select(possible, query).rows) expect(answer).toContain(row);
      }),
      { numRuns: 100 },
    );
  });
});
