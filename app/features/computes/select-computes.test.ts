import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import {
  COMPUTE_STATUSES,
  VISIBILITIES,
  NODE_CLASSES,
} from '@mesh-registry/protocol/values.schema.ts';
import { anyCompute, anyQuery, compute, nodeOf } from '../../../test/support/computes.ts';
import { ALL, parseQuery, SORT_KEYS } from './directory-query.ts';
import { selectComputes, totalsOf } from './select-computes.ts';

const parse = (search: string) => parseQuery(new URLSearchParams(search));

describe('filters', () => {
  const ids = (rows: Compute[], search: string) =>
    selectComputes(rows, parse(search), nodeOf).rows.map(({ id }) => id);

  test('the search finds all words in the name, node ID, label or image, in any case', () => {
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

  test('an offline compute offer has no free slots, whatever it last announced', () => {
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
    });
  });

  test('region and uptime are those of the node; one without a measurement has no uptime', () => {
    const rows = ['node_b', 'node_a', 'node_c'].map((nodeId) => compute({ nodeId }));
    const found = (search: string) => ids(rows, search).map((id) => id.slice(0, 6));
    expect(found('region=DE')).toEqual(['node_a']);
    expect(found('uptime=99.9')).toEqual(['node_a']);
    expect(found('uptime=95&sort=-uptime')).toEqual(['node_a', 'node_b']);
    expect(found('sort=uptime')).toEqual(['node_c', 'node_b', 'node_a']);
    expect(found('sort=-region')).toEqual(['node_c', 'node_b', 'node_a']);
  });

  test('the count of a value is how many rows match if only it is chosen', () => {
    fc.assert(
      fc.property(fc.array(anyCompute, { maxLength: 30 }), anyQuery, (rows, query) => {
        const { facets } = selectComputes(rows, query, nodeOf);
        for (const status of COMPUTE_STATUSES)
          expect(facets.status[status]).toBe(
            selectComputes(rows, { ...query, status: [status] }, nodeOf).rows.length,
          );
        for (const size of NODE_CLASSES)
          expect(facets.class[size]).toBe(
            selectComputes(rows, { ...query, class: [size] }, nodeOf).rows.length,
          );
        for (const visibility of VISIBILITIES)
          expect(facets.visibility[visibility]).toBe(
            selectComputes(rows, { ...query, visibility: [visibility] }, nodeOf).rows.length,
          );
        for (const region of ['DE', 'ZZ'])
          expect(facets.region[region] ?? 0).toBe(
            selectComputes(rows, { ...query, region }, nodeOf).rows.length,
          );
        for (const backend of ['docker', 'constructor'])
          expect(facets.backend[backend] ?? 0).toBe(
            selectComputes(rows, { ...query, backend }, nodeOf).rows.length,
          );
      }),
      { numRuns: 100 },
    );
  });
});

describe('the order', () => {
  test('does not depend on the order of the rows, and is the same in both directions', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyCompute, { selector: ({ id }) => id, maxLength: 9 }),
        fc.constantFrom(...SORT_KEYS),
        fc.boolean(),
        (rows, sort, descending) => {
          const query = { ...ALL, sort, descending };
          const listed = selectComputes(rows, query, nodeOf).rows;
          expect(selectComputes([...rows].reverse(), query, nodeOf).rows).toEqual(listed);
          expect(listed).toHaveLength(rows.length);
        },
      ),
      { numRuns: 100 },
    );
    const rows = ['S', 'L', 'M'].map((size, at) =>
      compute({ name: `c${at}`, class: size as Compute['class'] }),
    );
    expect(selectComputes(rows, parse('sort=class'), nodeOf).rows.map((row) => row.class)).toEqual([
      'S',
      'M',
      'L',
    ]);
    expect(selectComputes(rows, parse('sort=-class'), nodeOf).rows.map((row) => row.class)).toEqual(
      ['L', 'M', 'S'],
    );
  });
});
