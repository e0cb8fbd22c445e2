import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyQuery } from '../../../test/support/computes.ts';
import {
  ALL,
  compareKey,
  compareString,
  filterCount,
  nameInKey,
  parseQuery,
  queryString,
  sortedBy,
  toggled,
  unfiltered,
} from './directory-query.ts';

const parse = (search: string) => parseQuery(new URLSearchParams(search));

describe('the URL', () => {
  test('has no parameters for the whole list, and every query is parsed from its own URL', () => {
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
    'region=de',
    'region=EU%20',
    'uptime=98',
    'uptime=99.90',
    'compare=',
    'compare=a,Fire,x%20y,a:b:c',
    'page=0',
    'page=-2',
    'page=1.5',
    `q=${'x'.repeat(256)}`,
    'q=%20%20',
    'nonsense=1',
  ])('shows the whole list for %s', (search) => expect(parse(search)).toEqual(ALL));

  test('is the same for equivalent queries', () => {
    const search = queryString(parse('page=1&class=L&q=+fire++x&class=S&class=L&sort=name&free=0'));
    expect(search).toBe('?q=fire+x&class=S&class=L');
  });
});

test('adds and removes the value of a filter, and goes back to the first page', () => {
  const chosen = toggled(parse('status=busy&page=3'), 'status', 'available');
  expect(queryString(chosen)).toBe('?status=available&status=busy');
  expect(queryString(toggled(chosen, 'status', 'busy'))).toBe('?status=available');
  expect(
    filterCount(parse('q=x&status=busy&class=S&class=L&free=2&backend=a&region=DE&uptime=99')),
  ).toBe(6);
  expect(queryString(unfiltered(parse('q=x&status=busy&sort=-free&page=2')))).toBe('?sort=-free');
});

test('chooses up to four offers, each once, and keeps them through the filters', () => {
  const query = parse('compare=fire,ocr&compare=fire&compare=node_A:llm,aa,bb,cc&status=busy');
  expect(query.compare).toEqual(['fire', 'ocr', 'node_A:llm', 'aa']);
  expect(queryString(unfiltered(query))).toBe('?compare=fire,ocr,node_A:llm,aa');
  expect(compareString(['fire', 'node_A:llm'])).toBe('?compare=fire,node_A:llm');
  expect(filterCount(query)).toBe(1);
  const offer = { id: 'node_A:llm', name: 'llm' };
  expect([compareKey(offer, true), compareKey(offer, false)]).toEqual(['llm', 'node_A:llm']);
  expect([nameInKey('llm'), nameInKey('node_A:llm')]).toEqual(['llm', 'llm']);
});

test('sorts by a column, and reverses the order the second time; most free and newest come first', () => {
  expect(queryString(sortedBy(ALL, 'name'))).toBe('?sort=-name');
  expect(queryString(sortedBy(ALL, 'free'))).toBe('?sort=-free');
  expect(queryString(sortedBy(parse('sort=-free&page=4'), 'free'))).toBe('?sort=free');
  expect(queryString(sortedBy(ALL, 'node'))).toBe('?sort=node');
});
