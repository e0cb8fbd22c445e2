import { afterEach, expect, it } from 'vitest';
import { createTestDatabase } from '../support/databases.ts';
import { processAndChildren, signal } from '../support/processes.ts';
import { endAllServers, startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { getJson } from './support.ts';

afterEach(endAllServers);

it('a worker that is killed is replaced, also one that dies before it is ready, and the others go on', async () => {
  const database = await createTestDatabase();
  const server = await startServerProcess({
    ...database.env,
    WEB_CONCURRENCY: '2',
    LOG_LEVEL: 'info',
  });
  try {
    const workers = () => processAndChildren(server.pid).filter((pid) => pid !== server.pid);
    const ready = () => server.output().split('"msg":"ready"').length - 1;
    await until('both are ready', () => ready() === 2);
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
    expect(await server.end('SIGTERM')).toBe(0);
  } finally {
    endAllServers();
    await database.drop();
  }
});
