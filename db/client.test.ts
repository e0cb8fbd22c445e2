import { expect, test } from 'vitest';
import { connectionsOf } from './client.ts';

test('the embedded database has room for every process: its whole pool, and two connections while it starts', () => {
  expect(connectionsOf({})).toBe(12);
  for (const webConcurrency of [1, 2, 256])
    expect(connectionsOf({ databasePoolSize: 5, webConcurrency })).toBe(webConcurrency * 7);
});
