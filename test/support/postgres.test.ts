import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type PostgresServer } from './postgres.ts';

async function query(url: string, statement: string): Promise<unknown[]> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end();
  }
}

describe('a PostgreSQL for tests', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ fsync: true });
  });
  afterAll(() => server.stop());

  it('stores UTF-8, sorts by code point, and flushes if asked to', async () => {
    expect(
      await query(
        server.url(),
        `select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
          current_setting('synchronous_commit') as synchronous, 'a' < 'B' as by_language,
          upper('é') as upper, current_setting('max_connections') as connections`,
      ),
    ).toEqual([
      {
        encoding: 'UTF8',
        fsync: 'on',
        synchronous: 'on',
        by_language: false,
        upper: 'É',
        connections: '300',
      },
    ]);
  });

  it('refuses a wrong password', async () => {
    const wrong = server.url().replace(/:[^:@]*@/, ':wrong@');
    await expect(query(wrong, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('creates a database from a template, and drops it while clients are connected', async () => {
    await server.createDatabase('a_template');
    await query(server.url('a_template'), `create table t as select 'copied' as value`);
    await server.createDatabase('a_copy', 'a_template');
    expect(await query(server.url('a_copy'), 'select value from t')).toEqual([{ value: 'copied' }]);

    const client = postgres(server.url('a_copy'), { max: 1 });
    await client`select 1`;
    await server.dropDatabase('a_copy');
    await server.dropDatabase('a_copy');
    await client.end();
    await expect(query(server.url('a_copy'), 'select 1')).rejects.toMatchObject({
      code: '3D000',
    });
  });

  it('has every committed row after each of several crashes, on the same port', async () => {
    const url = server.url('crashes');
    await server.createDatabase('crashes');
    await query(url, 'create table rows (id bigint primary key)');
    const committed: number[] = [];
    let next = 0;
    for (let round = 0; round < 3; round += 1) {
      // Nobody could catch an error of the driver's own query for types.
      const clients = postgres(url, { max: 4, fetch_types: false, onnotice: () => undefined });
      const writers = Array.from({ length: 4 }, async () => {
        for (;;) {
          const id = (next += 1);
          await clients`insert into rows values (${id})`;
          committed.push(id);
        }
      });
      const settled = Promise.allSettled(writers);
      const before = committed.length;
      await expect.poll(() => committed.length).toBeGreaterThan(before + 40);
      await server.kill();
      await settled;
      await clients.end({ timeout: 0 });
      await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      await server.start();
      expect(server.url('crashes')).toBe(url);
      const kept = (await query(url, 'select id::int from rows')) as { id: number }[];
      const ids = new Set(kept.map(({ id }) => id));
      expect(committed.filter((id) => !ids.has(id))).toEqual([]);
      // Each of the four writers may have a row that was committed but not acknowledged.
      expect(kept.length - committed.length).toBeLessThanOrEqual(4 * (round + 1));
    }
  });

  it('starts from a pid file that names a living process', async () => {
    await server.kill();
    const pidFile = join(server.directory, 'postgres', 'postmaster.pid');
    const [, ...rest] = readFileSync(pidFile, 'utf8').split('\n');
    writeFileSync(pidFile, [process.ppid, ...rest].join('\n'));
    await server.start();
    await server.start();
    expect(await query(server.url(), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('leaves nothing behind when it stops, and is empty when it starts again', async () => {
    const [other, another] = await Promise.all([startPostgres(), startPostgres()]);
    await another.stop();
    await other.createDatabase('mine');
    expect(await query(other.url(), 'show fsync')).toEqual([{ fsync: 'off' }]);
    const url = other.url();
    await other.stop();
    await other.stop();
    expect(existsSync(other.directory)).toBe(false);
    await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });

    await other.start();
    expect(
      await query(other.url(), `select datname from pg_database where datname = 'mine'`),
    ).toEqual([]);
    await other.kill();
    await other.stop();
    expect(existsSync(other.directory)).toBe(false);
  });

  it('ends, and is removed, when the process that started it is killed', async () => {
    const module = new URL('postgres.ts', import.meta.url).href;
    const script = `
      import { startPostgres } from ${JSON.stringify(module)};
      const server = await startPostgres();
      console.log(JSON.stringify({ directory: server.directory, url: server.url() }));
      setInterval(() => {}, 1000);`;
    const runner = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', script],
      { cwd: fileURLToPath(new URL('.', import.meta.url)), stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const lines = createInterface({ input: runner.stdout });
    const { directory, url }: { directory: string; url: string } = JSON.parse(
      await new Promise<string>((resolve) => lines.once('line', resolve)),
    );
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    runner.kill('SIGKILL');
    await expect.poll(() => existsSync(directory)).toBe(false);
    await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
