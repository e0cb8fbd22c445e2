import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { runReviewer } from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openPage } from '../pages/page.ts';
import { createTestDatabase } from '../support/databases.ts';
import { PASSWORD } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const ADA = 'ada@example.org';
const EVE = 'eve@example.org';

/** The path of the one link that the command printed. */
function linkIn(output: string): string {
  const links = [...output.matchAll(/^ {2}https:\/\/mesh\.example(\/review\/join\/[\w-]{43})$/gm)];
  expect(links, output).toHaveLength(1);
  return links[0]?.[1] ?? '';
}

const post = (server: TestServer, path: string, fields: Record<string, string>) =>
  server.get(path, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { origin: server.url },
  });

const PUBLIC_URL = 'https://mesh.example';

describe('npm run reviewer', () => {
  test('explains wrong arguments, exits with 1 and creates no database', async () => {
    const directory = temporaryDirectory();
    const env = { DATA_DIR: join(directory.path, 'none') };
    try {
      const runs: [string[], says: string][] = [
        [[], 'A command is missing.'],
        [['remove', ADA], 'Unknown command “remove”.'],
        [['add'], 'add needs one email address.'],
        [['add', 'ada'], 'email must be an address such as ada@example.org'],
        [['add', ADA, '--role', 'king'], 'role must be reviewer or administrator'],
      ];
      await Promise.all(
        runs.map(async ([args, says]) => {
          const { code, output } = await runReviewer(args, env);
          expect({ args, code, output }).toMatchObject({
            code: 1,
            output: expect.stringContaining(says),
          });
          expect(output).not.toContain('    at ');
        }),
      );
      expect(existsSync(env.DATA_DIR)).toBe(false);
      const DATABASE_URL = new URL('/none', inject('postgresUrl')).href;
      expect(await runReviewer(['list'], { DATABASE_URL })).toMatchObject({
        code: 1,
        output: 'The database named in DATABASE_URL does not exist. Create it first (createdb).\n',
      });
    } finally {
      directory.remove();
    }
  });

  test('invites the first address as administrator with a link for one use, before the service runs and while it does, on the embedded database', async () => {
    const directory = temporaryDirectory();
    const env = { DATA_DIR: directory.path, PUBLIC_URL };
    try {
      const made = await runReviewer(['add', ' ADA@example.org '], env);
      expect(made.code).toBe(0);
      expect(made.output).toContain(`creates an account for ${ADA}, as administrator.`);
      expect(made.output).toContain(`embedded, in ${directory.path}`);

      const server = await startTestServer({ env: { DATA_DIR: directory.path } });
      try {
        const path = linkIn(made.output);
        expect((await openPage(server, path)).text).toContain(`For ${ADA}, as administrator.`);
        const joined = { name: 'Ada', password: PASSWORD };
        expect((await post(server, path, joined)).status).toBe(303);
        expect((await post(server, path, joined)).status).toBe(404);

        expect((await server.services.accounts.list()).reviewers).toMatchObject([
          { email: ADA, role: 'administrator' },
        ]);
        const second = await runReviewer(['add', EVE], env);
        expect(second.output).toContain(`creates an account for ${EVE}, as reviewer.`);
        expect((await openPage(server, linkIn(second.output))).text).toContain(`For ${EVE}`);
      } finally {
        await server.stop();
      }
    } finally {
      directory.remove();
    }
  });

  test('works while a service on PostgreSQL runs: invites a new address as reviewer and renews the access of an existing account', async () => {
    const database = await createTestDatabase();
    const env = { ...database.env, PUBLIC_URL };
    const server = await startTestServer({ env: database.env });
    const { accounts } = server.services;
    try {
      const root = await accounts.invite('system', { email: ADA, role: 'administrator' });
      await accounts.join(root, { name: 'Ada', password: PASSWORD });

      const first = linkIn((await runReviewer(['add', EVE], env)).output);
      expect((await openPage(server, first)).text).toContain(`For ${EVE}, as reviewer.`);
      expect((await post(server, first, { name: 'Eve', password: PASSWORD })).status).toBe(303);

      const raised = await runReviewer(['add', EVE, '--role', 'administrator'], env);
      expect(raised.code).toBe(1);
      expect(raised.output).toContain(
        `${EVE} already has an account. An administrator can set its role`,
      );

      const renewal = await runReviewer(['add', EVE], env);
      expect(renewal.output).toContain(
        `${EVE} already has an account. This link sets a new password`,
      );
      const path = linkIn(renewal.output);
      // The password changes only once the link is used.
      const signIn = (password: string) =>
        post(server, '/review/sign-in', { email: EVE, password }).then(({ status }) => status);
      expect(await signIn(PASSWORD)).toBe(303);
      const password = 'another good password';
      expect((await post(server, path, { password })).status).toBe(303);
      expect([await signIn(PASSWORD), await signIn(password)]).toEqual([401, 303]);

      await accounts.deactivate({ actor: ADA, email: EVE });
      const closed = await runReviewer(['add', EVE], env);
      expect(closed).toMatchObject({
        code: 1,
        output: `${EVE} is deactivated. Reactivate the account first.\n`,
      });
      const { output } = await runReviewer(['list'], env);
      expect(output).toMatch(/^ada@example\.org +administrator +active /m);
      expect(output).toMatch(/^eve@example\.org +reviewer +deactivated /m);
    } finally {
      await server.stop();
      await database.drop();
    }
  });
});
