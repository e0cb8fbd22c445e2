import { expect, test } from 'vitest';
import { apartOnScreen } from './edge.ts';

const disc = (name: string, x: number, radius = 10) => ({ name, x, y: 0, radius });
const merge = (a: ReturnType<typeof disc>, b: ReturnType<typeof disc>) =>
  disc(`${a.name}+${b.name}`, (a.x + b.x) / 2, a.radius + 2);
const names = (...all: ReturnType<typeof disc>[]) =>
  apartOnScreen(all, merge).map(({ name }) => name);

test('what is apart stays as it is', () => {
  expect(names(disc('a', 0), disc('b', 21), disc('c', 42))).toEqual(['a', 'b', 'c']);
});

test('what overlaps is one', () => {
  expect(names(disc('a', 0), disc('b', 20), disc('c', 60))).toEqual(['a+b', 'c']);
});

test('what has grown by another takes in whom it reaches then', () => {
  // Both together are at 10, with radius 12.
  expect(names(disc('a', 0), disc('b', 20), disc('c', 32))).toEqual(['a+b+c']);
});
