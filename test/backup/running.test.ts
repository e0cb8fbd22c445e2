import postgres from 'postgres';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { openEmbedded } from '#db/client.ts';
import { Pool } from '#db/connection/pool.ts';
import type { Mesh } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { createPostgresDatabase } from '../support/databases.ts';
import { startTestServer } from '../support/server.ts';
import {
  endAllServers,
  runCommand,
  spawnBuilt,
  startServerProcess,
} from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { expectNothingHalf, expectNothingLost, readAll } from '../fault/contents.ts';
import { Load } from '../fault/load.ts';
import { getJson } from '../fault/support.ts';

/** The commands, beside a running service. */

afterEach(endAllServers);

describe('npm run backup, while heartbeats and registrations are written', () => {
  it.each(['embedded', 'given'] as const)(
    'holds everything that was acknowledged before it, and nothing half; restored into the other database, a service shows it (from %s)',
    async (kind) => {
      const directory = temporaryDirectory();
      const database = await createPostgresDatabase(inject('postgresUrl'));
      const embedded = { DATA_DIR: join(directory.path, 'data') };
      const postgres = { DATABASE_URL: database.url, ...embedded };
      const [from, to] = kind === 'embedded' ? [embedded, postgres] : [postgres, embedded];
      const file = join(directory.path, 'backup.gz');
      try {
        const server = await startServerProcess(from);
        const load = new Load(() => server.url);
        load.start();
        await until('every client has had answers', () => load.warm);
        const before = structuredClone(load.acknowledged);
        const made = await runCommand('backup', [file], from);
        await load.stop();
        expect(made, made.output).toMatchObject({ code: 0 });
        expect(made.output).toMatch(/^Backed up \d+ rows in \d+ tables to /);
        // 503: the database did not answer in time, which a slow machine may cause.
        expect(
          [...load.statuses.keys()].filter((status) => ![200, 201, 503].includes(status)),
        ).toEqual([]);
        expect(await server.end('SIGTERM')).toBe(0);

        const restored = await runCommand('restore', [file], to);
        expect(restored, restored.output).toMatchObject({ code: 0 });
        const again = await startTestServer({ env: to });
        try {
          const contents = await readAll(again.database);
          expectNothingLost(contents, { acknowledged: before });
          expectNothingHalf(contents);
          const { peers } = await getJson<Mesh>(again.url, '/api/mesh');
          expect(peers.map(({ id }) => id)).toEqual(
            expect.arrayContaining([...before.pings.keys()]),
          );
        } finally {
          await again.stop();
        }
      } finally {
        endAllServers();
        await database.drop();
        directory.remove();
      }
    },
  );
});

describe('a backup that does not come to its end', () => {
  it('because the service stops leaves no file, and says so', async () => {
    const directory = temporaryDirectory();
    const dataDir = join(directory.path, 'data');
    const file = join(directory.path, 'backup.gz');
    const server = await startServerProcess({ DATA_DIR: dataDir });
    const embedded = await openEmbedded({ dataDir }, { ownership: 'join' });
    const pool = new Pool(embedded.url, { max: 1 });
    // A table that cannot be read holds the backup up.
    const holding = pool.begin(async (client) => {
      await client.unsafe('lock table peers');
      await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
    });
    holding.catch(() => undefined);
    await until('it is locked', async () => isLocked(embedded.url));
    const making = runCommand('backup', [file], { DATA_DIR: dataDir });
    await until('it writes', () => readdirSync(directory.path).length > 1);
    expect(await server.end('SIGTERM')).toBe(0);
    const made = await making;
    expect(made.code).toBe(1);
    expect(made.output).toContain('The database went away before the backup was complete.');
    expect(readdirSync(directory.path)).toEqual(['data']);
    await embedded.stop();
    await pool.close();
    directory.remove();
  });

  it('because it is killed leaves nothing under its name', async () => {
    const directory = temporaryDirectory();
    const database = await createPostgresDatabase(
      inject('postgresUrl'),
      inject('postgresTemplate'),
    );
    const file = join(directory.path, 'backup.gz');
    const locker = postgres(database.url, { max: 1 });
    const holding = locker.begin(async (sql) => {
      await sql`lock table peers`;
      const { child } = spawnBuilt(['backup.js', file], { DATABASE_URL: database.url });
      await until('it writes', () => readdirSync(directory.path).length > 0);
      child.kill('SIGKILL');
      await once(child, 'close');
    });
    await holding;
    await locker.end();
    expect(existsSync(file)).toBe(false);
    await database.drop();
    directory.remove();
  });
});

async function isLocked(url: string): Promise<boolean> {
  const pool = new Pool(url, { max: 1 });
  try {
    const found = await pool.unsafe(
      `select 1 from pg_locks where relation = 'peers'::regclass and mode = 'AccessExclusiveLock'`,
    );
    return found.length > 0;
  } finally {
    await pool.close();
  }
}
