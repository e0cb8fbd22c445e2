import { expect, test } from 'vitest';
import { unlessSame } from './same-data.ts';

const asks = (from: string, to: string) =>
  unlessSame({
    currentUrl: new URL(from, 'https://mesh.example'),
    nextUrl: new URL(to, 'https://mesh.example'),
    defaultShouldRevalidate: true,
  } as Parameters<typeof unlessSame>[0]);

test('another view of the same data asks the server nothing', () => {
  for (const to of [
    '/?view=globe',
    '/?view=map',
    '/?map=48,11.5,4',
    '/?panel=folded',
    '/?replay=90d',
  ])
    expect(asks('/', to), to).toBe(false);
  expect(asks('/?status=online&view=globe', '/?status=online')).toBe(false);
});

test('other data, and the same page once more, are asked for', () => {
  for (const to of ['/', '/?view=list', '/?status=online', '/?node=node_a', '/?at=48,11.5'])
    expect(asks('/', to), to).toBe(true);
  expect(asks('/?view=list', '/?view=list&page=2')).toBe(true);
  expect(asks('/status', '/')).toBe(true);
});
