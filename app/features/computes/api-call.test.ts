import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCompute, anyQuery, nodeOf } from '../../../test/support/computes.ts';
import { apiCall } from './api-call.ts';
import { parseQuery } from './directory-query.ts';
import { selectComputes } from './select-computes.ts';

const parse = (search: string) => parseQuery(new URLSearchParams(search));

describe('the API call', () => {
  test.each([
    ['', '', []],
    ['status=available', '?available=1', []],
    ['free=1&visibility=public', '?available=1&visibility=public', []],
    ['visibility=public&visibility=private', '', []],
    ['free=4', '?available=1', ['at least 4 free slots']],
    ['status=busy&q=x&class=S&backend=docker', '', ['status', 'search', 'class', 'backend']],
    ['region=DE&uptime=99', '', ['region', 'uptime']],
  ])('of "%s" is "%s"', (search, call, unsupported) =>
    expect(apiCall(parse(search))).toEqual({ search: call, unsupported }),
  );

  test('returns every row that the page shows', () => {
    fc.assert(
      fc.property(fc.array(anyCompute, { maxLength: 20 }), anyQuery, (rows, query) => {
        const params = new URLSearchParams(apiCall(query).search);
        const visibility = params.get('visibility');
        const answer = rows.filter(
          (row) =>
            (!params.has('available') || (row.status === 'available' && row.freeSlots > 0)) &&
            (visibility === null || row.visibility === visibility),
        );
        // As the service derives it: an offer is available if a slot is free.
        const possible = rows.filter((row) => (row.status === 'available') === row.freeSlots > 0);
        const { rows: shown } = selectComputes(possible, query, nodeOf);
        expect(answer).toEqual(expect.arrayContaining(shown));
      }),
      { numRuns: 100 },
    );
  });
});
