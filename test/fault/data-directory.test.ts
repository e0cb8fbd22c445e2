import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { endAllServers, startServerProcess } from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** What the service keeps is for its own user, whoever has made it so that others can read it. */

afterEach(endAllServers);

const root = process.geteuid?.() === 0;
const NOBODY = 65_534;

function folder(user: number | undefined): string {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  if (user !== undefined) chownSync(path, user, user);
  return path;
}

const octal = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

/** The modes of what the service makes; PostgreSQL's files are its own affair. */
const modesIn = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory)
      .filter((name) => name !== 'postgres')
      .map((name) => [name, octal(join(directory, name))]),
  );

for (const [who, user] of [
  ['the user of the tests', undefined],
  ['nobody', NOBODY],
] as const)
  test.skipIf(user !== undefined && !root)(
    `run by ${who}, it makes nothing that others can read, and mends what was made so`,
    async () => {
      const dataDir = join(folder(user), 'data');
      const env = { DATA_DIR: dataDir, LOG_LEVEL: 'info' };
      const start = () => startServerProcess(env, { umask: '0', user });
      // As root, PostgreSQL runs as another account, which has to get through.
      const open = root && user === undefined ? '711' : '700';
      const first = await start();
      expect(octal(dataDir)).toBe(open);
      const made = modesIn(dataDir);
      expect(Object.keys(made)).toEqual(expect.arrayContaining(['auth-secret', 'mesh.lock']));
      expect(new Set(Object.values(made))).toEqual(new Set(['600']));
      expect(first.output()).not.toContain('others could');
      await first.end('SIGTERM');

      chmodSync(dataDir, 0o777);
      chmodSync(join(dataDir, 'auth-secret'), 0o644);
      const second = await start();
      expect([octal(dataDir), modesIn(dataDir)]).toEqual([open, made]);
      expect(second.output().split('others could').length - 1).toBe(1);
      await second.end('SIGTERM');
    },
  );

test('what is not its own in a directory stays as it is, and the log says so', async () => {
  const dataDir = folder(undefined);
  mkdirSync(join(dataDir, 'somebody'), { mode: 0o755 });
  writeFileSync(join(dataDir, 'else.txt'), '', { mode: 0o644 });
  chmodSync(dataDir, 0o755);
  const server = await startServerProcess({ DATA_DIR: dataDir, LOG_LEVEL: 'info' });
  expect([octal(dataDir), modesIn(dataDir)]).toEqual([
    '755',
    expect.objectContaining({ somebody: '755', 'else.txt': '644', 'auth-secret': '600' }),
  ]);
  expect(server.output()).toContain('others can list');
  await server.end('SIGTERM');
});
