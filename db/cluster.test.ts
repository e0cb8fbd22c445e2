import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql, type SQL } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { IN_MEMORY, openDatabase } from './client.ts';
import { createCluster } from './cluster.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mesh-cluster-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function contents(dataDir: string) {
  const database = await openDatabase({ databaseUrl: undefined, dataDir });
  const rows = async (query: SQL) => {
    const result: unknown = await database.db.execute(query);
    return (result as { rows: unknown[] }).rows;
  };
  try {
    return {
      columns: await rows(sql`
        select table_schema, table_name, column_name, data_type, is_nullable
        from information_schema.columns
        where table_schema in ('public', 'drizzle') order by 1, 2, 3`),
      migrations: await rows(sql`select hash from drizzle.__drizzle_migrations order by id`),
      reserved: await rows(sql`select name from reserved_names order by 1`),
    };
  } finally {
    await database.close();
  }
}

test('a database from the prepared archive is the same as one from scratch, on disk and in memory', async () => {
  const scratch = join(directory, 'scratch');
  mkdirSync(scratch);
  await createCluster(join(scratch, 'pg'), null);
  const expected = await contents(scratch);
  expect(expected.migrations.length).toBeGreaterThan(0);
  expect(await contents(join(directory, 'prepared'))).toEqual(expected);
  expect(await contents(IN_MEMORY)).toEqual(expected);
});

test('the remains of a start that was killed halfway are not a database and don’t get in the way', async () => {
  const cluster = join(directory, 'pg');
  mkdirSync(`${cluster}.new`);
  writeFileSync(join(`${cluster}.new`, 'PG_VERSION'), 'broken off');
  await createCluster(cluster);
  expect(existsSync(`${cluster}.new`)).toBe(false);
  expect((await contents(directory)).migrations.length).toBeGreaterThan(0);
});
