import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ASSETS = join(import.meta.dirname, '..', 'build', 'client', 'assets');

test('the library that checks what the server is sent goes to no browser', async () => {
  const scripts = (await readdir(ASSETS)).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(10);
  const found: string[] = [];
  for (const name of scripts)
    // The name of its error stays in it whatever a minifier does.
    if ((await readFile(join(ASSETS, name), 'utf8')).includes('ZodError')) found.push(name);
  expect(found).toEqual([]);
});
