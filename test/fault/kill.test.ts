import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '#db/client.ts';
import { untilGone } from '../support/embedded.ts';
import { startPostgres, type PostgresServer } from '../support/postgres.ts';
import { rounds } from '../support/rounds.ts';
import { startTestServer } from '../support/server.ts';
import { endAllServers, startServerProcess } from '../support/server-process.ts';
import { SLOW } from '../support/slow.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import {
  expectNoLess,
  expectNothingHalf,
  expectNothingLost,
  readAll,
  readAllAndClose,
} from './contents.ts';
import { Load } from './load.ts';
import { getJson } from './support.ts';

const ROUNDS = rounds(2);
/** More than can be under way at once. */
const LAST_REGISTRATIONS = 10;
const LOAD_MS = 300;
const TIMEOUT_MS = rounds(60_000) * SLOW;

/** Waits until every client has had answers, and then for a random time: kills hit groups of writes at any point. */
async function someLoad(load: Load): Promise<void> {
  await until('every client has had answers', () => load.warm);
  await sleep(LOAD_MS + Math.random() * 300);
}

const rowsOf = async (config: { databaseUrl: string | undefined; dataDir: string }) =>
  readAllAndClose(await openDatabase(config));

afterEach(endAllServers);

describe('a server that is killed again and again under load', { timeout: TIMEOUT_MS }, () => {
  it('loses nothing that it acknowledged and leaves nothing incomplete', async () => {
    const directory = temporaryDirectory();
    let url = '';
    const load = new Load(() => url);
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const server = await startServerProcess({ DATA_DIR: directory.path });
        ({ url } = server);
        load.start();
        await someLoad(load);
        await server.end('SIGKILL');
        await load.stop();

        const contents = await rowsOf({ databaseUrl: undefined, dataDir: directory.path });
        expectNothingLost(contents, load);
        expectNothingHalf(contents);
      }
      // The server starts again with all of it.
      const server = await startTestServer({ env: { DATA_DIR: directory.path } });
      try {
        await expectReadModel(server.url, load);
      } finally {
        await server.stop();
      }
    } finally {
      endAllServers();
      await untilGone(join(directory.path, 'postgres'));
      directory.remove();
    }
    expect(load.statuses.get(500)).toBeUndefined();
    expect(load.count).toBeGreaterThan(ROUNDS * 20);
  });
});

describe('PostgreSQL that is killed again and again under load', { timeout: TIMEOUT_MS }, () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres({ fsync: true });
  });
  afterAll(() => postgres.stop());

  it('loses nothing that was acknowledged and leaves nothing incomplete, and the server recovers automatically', async () => {
    const server = await startServerProcess({ DATABASE_URL: postgres.url(), LOG_LEVEL: 'error' });
    const load = new Load(() => server.url);
    for (let round = 0; round < ROUNDS; round++) {
      load.start();
      await someLoad(load);
      await postgres.kill();
      // Clients continue while it is down, and are refused.
      await sleep(150);
      await postgres.start();
      const before = load.count;
      await until('writes are acknowledged again', () => load.count > before + 20).catch(
        (error: unknown) => {
          throw new Error(`round ${round}: ${server.output()}`, { cause: error });
        },
      );
      await load.stop();

      const database: Database = await openDatabase({ databaseUrl: postgres.url(), dataDir: '' });
      try {
        const contents = await readAll(database);
        expectNothingLost(contents, load);
        expectNothingHalf(contents);
        // Both are read each time: an abandoned write may still be under way.
        await until('the read model is up to date', async () => {
          const { peers } = await getJson<{ peers: { id: string; lastSeen: string }[] }>(
            server.url,
            '/api/mesh',
          );
          const shown = new Map(peers.map((peer) => [peer.id, peer.lastSeen]));
          const rows = (await readAll(database)).peers;
          return rows.every((row) => shown.get(row.id) === row.lastSeen.toISOString());
        });
      } finally {
        await database.close();
      }
    }
    expect([...load.statuses.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual(
      [],
    );
    expect(server.output()).not.toContain('unhandled');
    expect(await server.end('SIGTERM')).toBe(0);
  });
});

/** Checks what a server shows that has just started. */
async function expectReadModel(url: string, { acknowledged }: Load): Promise<void> {
  const { peers } = await getJson<{ peers: { id: string; lastSeen: string }[] }>(url, '/api/mesh');
  const shown = new Map(peers.map((peer) => [peer.id, peer.lastSeen]));
  for (const [node, { lastSeen }] of acknowledged.pings)
    expect(Date.parse(shown.get(node) ?? ''), node).toBeGreaterThanOrEqual(Date.parse(lastSeen));
  // Only the last ones: the kill may have lost the answer to one of their steps.
  for (const [id, known] of [...acknowledged.registrations].slice(-LAST_REGISTRATIONS))
    expectNoLess(await getJson(url, `/api/registry/register?id=${id}`), known);
}
