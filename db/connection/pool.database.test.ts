import { expect, inject, onTestFinished, test } from 'vitest';
import { Pool } from './pool.ts';

/** A pool, as large as it must be for what a test does at the same time. */
function aPool(max: number): Pool {
  const pool = new Pool(inject('postgresUrl'), { max });
  onTestFinished(() => pool.close());
  return pool;
}

/** The server's process behind a connection. */
async function processOf(client: Pick<Pool, 'unsafe'>): Promise<number> {
  const [row] = await client.unsafe<{ pid: number }>('select pg_backend_pid() as pid');
  expect(row?.pid).toBeGreaterThan(0);
  return row?.pid ?? 0;
}

test('a connection that is free is used again', async () => {
  const pool = aPool(2);
  expect(await processOf(pool)).toBe(await processOf(pool));
});

test('once a server refuses to write, no connection to it is used again; what is under way ends well', async () => {
  const pool = aPool(3);
  // One is free, one is in a transaction.
  const used = await pool.begin(async (client) => {
    const pids = [await processOf(client), await processOf(pool)];
    const demoted = `do $$ begin raise 'read-only from now on' using errcode = '25006'; end $$`;
    const writing = pool.begin((other) => Promise.resolve(other.unsafe(demoted)));
    await expect(writing).rejects.toMatchObject({ code: '25006' });
    expect(await processOf(client)).toBe(pids[0]);
    return pids;
  });
  expect(new Set(used).size).toBe(2);
  const again = [await processOf(pool), await pool.begin(processOf)];
  for (const pid of again) expect(used).not.toContain(pid);
});
