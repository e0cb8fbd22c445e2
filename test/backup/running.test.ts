import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import type { Mesh } from '#server/mesh/mesh.schema.ts';
import { createPostgresDatabase, DATABASE_KINDS } from '../support/databases.ts';
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
  it.each(DATABASE_KINDS)(
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
        const opened = await openDatabase({
          databaseUrl: kind === 'embedded' ? database.url : undefined,
          dataDir: embedded.DATA_DIR,
        });
        const contents = await readAll(opened).finally(() => opened.close());
        expectNothingLost(contents, { acknowledged: before });
        expectNothingHalf(contents);

        const again = await startServerProcess(to);
        const { peers } = await getJson<Mesh>(again.url, '/api/mesh');
        expect(peers.map(({ id }) => id)).toEqual(expect.arrayContaining([...before.pings.keys()]));
        expect(await again.end('SIGTERM')).toBe(0);
      } finally {
        endAllServers();
        await database.drop();
        directory.remove();
      }
    },
  );
});

describe('a backup that does not come to its end', () => {
  /** Stands in for a service that gives half a backup. */
  async function serveHalf(dataDir: string, ends: boolean) {
    mkdirSync(dataDir);
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('{"format":"mesh-registry-backup","version":1,"migrations":[]}\n');
      if (ends) socket.end();
    });
    server.listen(join(dataDir, 'backup.sock'));
    await once(server, 'listening');
    return server;
  }

  it('because the service stops leaves no file, and says so', async () => {
    const directory = temporaryDirectory();
    const dataDir = join(directory.path, 'data');
    const file = join(directory.path, 'backup.gz');
    const service = await serveHalf(dataDir, true);
    const made = await runCommand('backup', [file], { DATA_DIR: dataDir });
    expect(made.code).toBe(1);
    expect(made.output).toContain('The backup is incomplete');
    expect(readdirSync(directory.path)).toEqual(['data']);
    service.close();
    directory.remove();
  });

  it('because it is killed leaves nothing under its name', async () => {
    const directory = temporaryDirectory();
    const dataDir = join(directory.path, 'data');
    const file = join(directory.path, 'backup.gz');
    const service = await serveHalf(dataDir, false);
    const { child } = spawnBuilt(['backup.js', file], { DATA_DIR: dataDir });
    await until('it writes', () => readdirSync(directory.path).length > 1);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(existsSync(file)).toBe(false);
    service.close();
    directory.remove();
  });
});

describe('npm run move-to-postgres', () => {
  it('refuses while the service runs, then moves every row, and refuses a target that has data', async () => {
    const directory = temporaryDirectory();
    const database = await createPostgresDatabase(inject('postgresUrl'));
    const embedded = { DATA_DIR: directory.path };
    const env = { ...embedded, DATABASE_URL: database.url };
    try {
      const server = await startServerProcess(embedded);
      const load = new Load(() => server.url);
      load.start();
      await until('every client has had answers', () => load.warm);
      await load.stop();
      const early = await runCommand('move-to-postgres', [], env);
      expect(early.code).toBe(1);
      expect(early.output).toContain(`(process ${server.pid}). Stop it first`);
      expect(await server.end('SIGTERM')).toBe(0);

      const moved = await runCommand('move-to-postgres', [], env);
      expect(moved, moved.output).toMatchObject({ code: 0 });
      expect(moved.output).toMatch(/Moved \d+ rows in \d+ tables .*compared every row/);
      expect(moved.output).toContain(join(directory.path, 'auth-secret'));
      const opened = await openDatabase({ databaseUrl: database.url, dataDir: '' });
      expectNothingLost(await readAll(opened).finally(() => opened.close()), load);

      const twice = await runCommand('move-to-postgres', [], env);
      expect(twice.code).toBe(1);
      expect(twice.output).toContain('The database already holds data');
    } finally {
      endAllServers();
      await database.drop();
      directory.remove();
    }
  });

  it('says what is missing', async () => {
    const directory = temporaryDirectory();
    const DATA_DIR = join(directory.path, 'none');
    const without = await runCommand('move-to-postgres', [], { DATA_DIR });
    expect(without).toMatchObject({ code: 1, output: expect.stringContaining('DATABASE_URL') });
    const DATABASE_URL = inject('postgresUrl');
    const empty = await runCommand('move-to-postgres', [], { DATA_DIR, DATABASE_URL });
    expect(empty).toMatchObject({ code: 1, output: `There is no database in ${DATA_DIR}.\n` });
    expect(existsSync(DATA_DIR)).toBe(false);
    directory.remove();
  });
});
