import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { createPostgresDatabase } from '../test/support/databases.ts';
import { dump } from './backup/dump.ts';
import { Pool } from './connection/pool.ts';
import { BEFORE_BASELINE, knownMigrations, migrationsFolder, migratePostgres } from './migrate.ts';
import * as schema from './schema/index.ts';
import { SOON } from '../test/support/until.ts';

test('a migration that cannot get a lock lets go of those it has, and tries again', async () => {
  const { url, drop } = await createPostgresDatabase(inject('postgresUrl'));
  const sql = postgres(url, { max: 2 });
  try {
    // Each migration leaves a row here.
    await sql.unsafe(`create schema drizzle; create table drizzle.__drizzle_migrations
      (id serial primary key, hash text not null, created_at bigint)`);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const holding = sql.begin(async (holder) => {
      await holder`lock table drizzle.__drizzle_migrations in share mode`;
      await released;
    });
    const waiting = async () =>
      (
        await sql`select 1 from pg_locks where not granted
          and relation = 'drizzle.__drizzle_migrations'::regclass`
      ).length;
    const migrated = migratePostgres(url);
    for (let attempt = 0; attempt < 2; attempt++) {
      await vi.waitFor(async () => expect(await waiting()).toBe(1), SOON);
      await vi.waitFor(async () => expect(await waiting()).toBe(0), SOON);
    }
    release();
    await Promise.all([migrated, holding]);
    expect(await sql`select * from peers`).toEqual([]);
  } finally {
    await sql.end();
    await drop();
  }
});

test('the migrations make the tables of the schema', async () => {
  const meta = join(migrationsFolder, 'meta');
  const last = readdirSync(meta)
    .filter((name) => name.endsWith('_snapshot.json'))
    .sort()
    .at(-1);
  const made = JSON.parse(readFileSync(join(meta, last ?? ''), 'utf8'));
  const wanted = generateDrizzleJson(schema, made.id, undefined, 'snake_case');
  expect(await generateMigration(made, wanted)).toEqual([]);
});

test('the baseline stays as it is: databases know it by its hash', () => {
  expect(knownMigrations()[0].hash).toBe(
    '02558c28c0ed41a61decd63ab754c5e2ff746faace6cf79606178cf1695124ce',
  );
});

describe('a database', () => {
  /** A copy of the template, or an empty one. */
  async function createDatabase(template?: string) {
    const { url, drop } = await createPostgresDatabase(inject('postgresUrl'), template);
    const sql = postgres(url, { max: 1 });
    onTestFinished(async () => {
      await sql.end();
      await drop();
    });
    return { url, sql };
  }

  /** One with the tables of this release, that says it was made by other migrations. */
  async function madeBy(...hashes: string[]) {
    const { url, sql } = await createDatabase(inject('postgresTemplate'));
    await sql`delete from drizzle.__drizzle_migrations`;
    for (const [n, hash] of hashes.entries())
      await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${n})`;
    /** Changes with every change of a table's definition. */
    const tables = () =>
      sql`select oid, relname, relfilenode, xmin from pg_class where relnamespace = 'public'::regnamespace order by 1`;
    const history = async () =>
      (await sql`select hash from drizzle.__drizzle_migrations order by id`).map(
        ({ hash }) => hash,
      );
    return { url, tables, history };
  }
  const backedUp = async (url: string) => {
    const pool = new Pool(url, { max: 1 });
    onTestFinished(() => pool.close());
    return pool.begin(async (client) => (await dump(client)).header.migrations);
  };
  const known = knownMigrations().map(({ hash }) => hash);

  /** The definitions of the tables: columns, constraints and indexes. */
  const catalogue = (sql: postgres.Sql) =>
    sql`select conrelid::regclass::text as of, conname as name, pg_get_constraintdef(oid) as what
        from pg_constraint where connamespace = 'public'::regnamespace
      union all select tablename, indexname, indexdef from pg_indexes where schemaname = 'public'
      union all select table_name, column_name, concat_ws(' ', data_type, is_nullable, column_default)
        from information_schema.columns where table_schema = 'public' order by 1, 2, 3`;

  test('that went through the sixteen migrations is recorded as the baseline, by one of many starts, and gets what came after it', async () => {
    const { url, sql } = await createDatabase();
    const fresh = await createDatabase(inject('postgresTemplate'));
    const [baseline] = knownMigrations();
    for (const statement of baseline.sql) await sql.unsafe(statement);
    await sql.unsafe(`create schema drizzle;
      create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
      insert into drizzle.__drizzle_migrations (hash, created_at)
        values ('${BEFORE_BASELINE.first}', 1), ('${BEFORE_BASELINE.last}', 2)`);
    /** Change if a table is made anew. */
    const files = () =>
      sql`select oid, relname, relfilenode from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`;
    const before = await files();
    const history = async () =>
      (await sql`select hash from drizzle.__drizzle_migrations order by id`).map(
        ({ hash }) => hash,
      );
    // Also before the first start of this release.
    expect(await backedUp(url)).toEqual([baseline.hash]);
    await Promise.all(Array.from({ length: 4 }, () => migratePostgres(url)));
    expect(await history()).toEqual(known);
    expect(await catalogue(sql)).toEqual(await catalogue(fresh.sql));
    expect((await files()).slice(0, before.length)).toEqual(before);
    await migratePostgres(url);
    expect(await history()).toEqual(known);
  });

  test.each([
    [
      'an older release has made',
      [BEFORE_BASELINE.first, 'second'],
      'An older release made this database',
    ],
    [
      'another program has made',
      ['first'],
      'A newer release or another program made this database',
    ],
  ])('that %s is refused, and nothing is changed', async (_, hashes, sentence) => {
    const { url, tables, history } = await madeBy(...hashes);
    const before = await tables();
    await expect(migratePostgres(url)).rejects.toMatchObject({
      name: 'HistoryError',
      message: expect.stringContaining(sentence),
    });
    await expect(backedUp(url)).rejects.toMatchObject({ name: 'BackupError' });
    expect(await history()).toEqual(hashes);
    expect(await tables()).toEqual(before);
  });

  test('that a newer release has migrated serves this one, too, while servers are replaced', async () => {
    const { url, history } = await madeBy(...known, 'newer');
    const sql = postgres(url, { max: 1 });
    await sql`update drizzle.__drizzle_migrations set created_at = ${Date.now()}`;
    await sql.end();
    await migratePostgres(url);
    expect(await history()).toEqual([...known, 'newer']);
    await expect(backedUp(url)).rejects.toThrow('belongs to a newer release');
  });
});
