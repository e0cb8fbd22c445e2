import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { processAndChildren, signal } from '../support/processes.ts';
import { AUTH_SECRET } from '../support/server.ts';
import {
  endAllServers,
  startServerProcess,
  type ServerProcess,
} from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { getJson } from './support.ts';

/** A test goes on with what the one before it has left. */
describe('a server of two processes', () => {
  let database: TestDatabase;
  let server: ServerProcess;
  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startServerProcess({
      ...database.env,
      AUTH_SECRET,
      WEB_CONCURRENCY: '2',
      LOG_LEVEL: 'info',
    });
    await until(
      'both are ready, and one has printed a link',
      () => ready() === 2 && linksIn(server).length > 0,
    );
  });
  afterAll(async () => {
    endAllServers();
    await database.drop();
  });

  const ready = () => server.output().split('"msg":"ready"').length - 1;
  const linksIn = ({ output }: ServerProcess) =>
    output().match(/http\S+\/review\/join\/\S+/g) ?? [];
  const tokensIn = (one: ServerProcess) => linksIn(one).map((link) => link.replace(/.*\//, ''));

  it('replaces one that is killed, also one that dies before it is ready, and the others go on', async () => {
    const workers = () => processAndChildren(server.pid).filter((pid) => pid !== server.pid);
    const [killed, survivor] = workers() as [number, number];
    signal([killed], 'SIGKILL');
    const replaced = (...before: number[]) =>
      until('it is replaced', () => workers().some((pid) => !before.includes(pid)));
    await replaced(killed, survivor);
    const early = workers().filter((pid) => pid !== survivor);
    signal(early, 'SIGKILL');
    await replaced(killed, survivor, ...early);
    await getJson(server.url, '/api/mesh');
    await until('the replacement is ready', () => ready() >= 3);
    expect(workers()).toContain(survivor);
  });

  it('prints the link for the first administrator once, and again when it restarts', async () => {
    expect(await server.end('SIGTERM')).toBe(0);
    expect(linksIn(server)).toHaveLength(1);
    const again = await startServerProcess({ ...database.env, AUTH_SECRET });
    expect(tokensIn(again)).toEqual(tokensIn(server));
    expect((await fetch(linksIn(again)[0]!)).status).toBe(200);
    expect(await again.end('SIGTERM')).toBe(0);
  });
});
