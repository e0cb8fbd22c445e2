import { expect, test } from 'vitest';
import { isFiltered, readSearch, searchHref, sortedBy } from './search.schema.ts';

const read = (query: string) => readSearch(new URLSearchParams(query));

test.each([
  ['', '/registry'],
  ['q=+a&kind=both&status=idle&free=1&region=EU&sort=-uptime&page=3', null],
  ['kind=x&status=up&free=0&region=eu&sort=size&page=0', '/registry'],
  ['sort=name', '/registry'],
  ['sort=-name', '/registry?sort=-name'],
  // Of earlier releases.
  ['now=online&sort=newest', '/registry?status=online&sort=-since'],
  ['now=available', '/registry?free=1'],
])('?%s is %s', (query, expected) => {
  const href = searchHref(read(query));
  expect(href).toBe(
    expected ?? '/registry?q=a&kind=both&status=idle&free=1&region=EU&sort=-uptime&page=3',
  );
  expect(readSearch(new URL(href, 'http://host').searchParams)).toEqual(read(query));
});

test('each filter leaves out names, and an order does not', () => {
  for (const query of ['q=a', 'kind=node', 'status=offline', 'free=1', 'region=ZZ'])
    expect(isFiltered(read(query))).toBe(true);
  expect(isFiltered(read('sort=-since&page=4'))).toBe(false);
});

test('a column sorts, and reverses the order the second time; the most and the newest come first', () => {
  expect(searchHref(sortedBy(read('page=2'), 'region'))).toBe('/registry?sort=region');
  expect(searchHref(sortedBy(read(''), 'since'))).toBe('/registry?sort=-since');
  expect(searchHref(sortedBy(read('sort=-since'), 'since'))).toBe('/registry?sort=since');
  expect(searchHref(sortedBy(read(''), 'name'))).toBe('/registry?sort=-name');
});
