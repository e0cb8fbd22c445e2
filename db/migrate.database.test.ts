import postgres from 'postgres';
import { expect, inject, test, vi } from 'vitest';
import { createPostgresDatabase } from '../test/support/databases.ts';
import { migratePostgres } from './migrate.ts';
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
