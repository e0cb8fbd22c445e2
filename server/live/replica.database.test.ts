import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { peers, type PeerRow } from '#db/schema/index.ts';
import { createTestDatabase } from '../../test/support/databases.ts';
import { Replica } from './replica/replica.ts';

test('a load reads every row, however many pages they fill', async () => {
  // Two full pages and one more row.
  const count = 4001;
  const own = await createTestDatabase();
  const database = await openDatabase({ databaseUrl: own.env.DATABASE_URL, dataDir: '' });
  try {
    await database.db.execute(sql`
      insert into peers (id, status, lat, lng, joined_at, last_seen, written_by)
      select 'node_' || n, 'online', 37.5, -122.5, now(), now(), 'test'
      from generate_series(1, ${count}::int) as n`);
    const replica = new Replica<PeerRow>(peers);
    let pages = 0;
    await replica.load(database.db, () => Promise.resolve(void pages++));
    expect({ pages, rows: replica.rows.size }).toEqual({ pages: 3, rows: count });
  } finally {
    await database.close();
    await own.drop();
  }
});
