import { expect, test } from 'vitest';
import { axisDates, nodesFinding } from './chart-text.ts';

test.each([
  [[528, 600, 612], 528, '612 nodes, 84 more than 3 days ago'],
  [[528, 612], null, '612 nodes, 84 more than a day ago'],
  [[612, null, 528, null], null, '528 nodes, 84 fewer than 2 days ago'],
  [[7, 7], 7, '7 nodes, as many as 2 days ago'],
  [[0, 1], null, '1 node, 1 more than a day ago'],
  [[null, 5, null], null, 'Nodes'],
  [[], null, 'Nodes'],
])('of the nodes %j, %j before: “%s”', (values, before, text) =>
  expect(nodesFinding(values, before)).toBe(text),
);

test('an axis says today only where it ends today', () => {
  const days = Array.from({ length: 10 }, (_, n) => `2026-11-${10 + n}`);
  expect(axisDates(days, '2026-11-19')).toEqual(['10 Nov', '13 Nov', '16 Nov', 'today']);
  expect(axisDates(days.slice(0, 3), '2026-11-19')).toEqual(['10 Nov', '12 Nov']);
});
