import { expect, test } from 'vitest';
import { createNodeOf } from './use-offer-nodes.ts';

test('what is known of nodes grows while nothing that was said of one is different', () => {
  const { nodeOf, learn } = createNodeOf({ attic: ['EU', 0.99], garage: ['NA', null] });
  expect(nodeOf('attic')).toEqual({ region: 'EU', uptime: 0.99 });
  expect(learn({ attic: ['EU', 0.99], garage: ['NA', 0.5], cellar: ['AS', 1] })).toBe(true);
  expect([nodeOf('garage'), nodeOf('cellar')]).toEqual([
    { region: 'NA', uptime: 0.5 },
    { region: 'AS', uptime: 1 },
  ]);
  expect(learn({ attic: ['EU', 0.98] })).toBe(false);
  expect(nodeOf('attic')).toEqual({ region: 'EU', uptime: 0.99 });
});

test('of a node that becomes known something else was said', () => {
  const { nodeOf, learn } = createNodeOf({});
  expect(nodeOf('toString')).toEqual({ region: 'ZZ', uptime: null });
  expect(learn({ toString: ['EU', 1] } as never)).toBe(false);
});
