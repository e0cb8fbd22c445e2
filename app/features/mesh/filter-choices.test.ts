import { expect, test } from 'vitest';
import { parseMeshQuery, type Facets } from '#server/mesh/mesh-query.schema.ts';
import { PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { regionChoices, toggledStatus } from './filter-choices.ts';

const facets = (region: Record<string, number>): Facets => ({
  status: { online: 0, syncing: 0, idle: 0, offline: 0 },
  class: { S: 0, M: 0, L: 0 },
  region: Object.assign(Object.create(null) as Record<string, number>, region),
});

test('regions are listed with their counts, those with most nodes first, equal ones by their codes', () => {
  expect(regionChoices(facets({ NA: 2, ZZ: 7, EU: 2 }), null)).toEqual([
    ['ZZ', 7],
    ['EU', 2],
    ['NA', 2],
  ]);
});

test('the chosen region stays in the list when its last node is gone, and is listed once otherwise', () => {
  expect(regionChoices(facets({ EU: 2 }), 'QQ')).toEqual([
    ['EU', 2],
    ['QQ', 0],
  ]);
  expect(regionChoices(facets({ EU: 2 }), 'EU')).toEqual([['EU', 2]]);
  // Not one that objects have by themselves.
  expect(regionChoices(facets({}), 'constructor')).toEqual([['constructor', 0]]);
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
