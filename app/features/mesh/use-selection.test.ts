import { expect, test } from 'vitest';
import { parseMeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { nodeOnMap, viewOnMap } from './use-selection.ts';

const query = (search: string) => parseMeshQuery(new URLSearchParams(search));

test('a node is shown on the map from the list, and on the globe from the globe', () => {
  expect(viewOnMap(query('view=list'))).toBe('map');
  expect(viewOnMap(query('view=globe'))).toBe('globe');
  expect(viewOnMap(query(''))).toBe('map');
});

test('the map moves to a node that is opened from elsewhere, and keeps its filters', () => {
  expect(nodeOnMap(query('view=list&q=a&region=EU&page=3&at=48,11&map=1,2,3'), 'node_a')).toBe(
    '/?q=a&region=EU&node=node_a&page=3',
  );
  expect(nodeOnMap(query('view=globe&node=node_b&panel=folded'), 'node_a')).toBe(
    '/?view=globe&node=node_a&panel=folded',
  );
});
