import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type Database } from '#db/client.ts';
import { feed as feedTable } from '#db/schema/index.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/databases.ts';
import { Feed } from './replica/feed.ts';

describe('the feed between servers', () => {
  let own: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    own = await createTestDatabase();
    database = await openDatabase({ databaseUrl: own.env.DATABASE_URL, dataDir: '' });
  });
  afterAll(async () => {
    await database.close();
    await own.drop();
  });
  const server = (id: string) => new Feed(database.db, id, false);
  const bodies = async (feed: Feed) => {
    const read: string[] = [];
    await feed.read(({ body }) => void read.push(body));
    return read;
  };
  const write = (feed: Feed, body: string) =>
    database.db.transaction((tx) => feed.record(tx, 'peers', body));

  test('a server reads what others have committed since it began, once', async () => {
    const [a, b] = [server('a1'), server('a2')];
    await write(a, 'before');
    await b.begin();
    expect(await bodies(b)).toEqual([]);
    await write(a, 'first');
    await write(server('a3'), 'of a server that starts later');
    expect((await bodies(b)).sort()).toEqual(['first', 'of a server that starts later']);
    expect(await bodies(b)).toEqual([]);
    expect(await bodies(a)).toContain('of a server that starts later');
  });

  test('a group that commits after a later one is read, also if it had begun before the reader', async () => {
    const [a, b] = [server('b1'), server('b2')];
    await write(a, 'one');
    let commit = () => {};
    const held = new Promise<void>((resolve) => (commit = resolve));
    const slow = database.db.transaction(async (tx) => {
      await a.record(tx, 'peers', 'slow');
      await held;
    });
    await write(a, 'three');
    await b.begin();
    await write(a, 'four');
    expect(await bodies(b)).toEqual(['four']);
    commit();
    await slow;
    expect(await bodies(b)).toEqual(['slow']);
    expect(await bodies(b)).toEqual([]);
  });

  test('a group of our own whose commit was not acknowledged is read like another server’s', async () => {
    const a = server('c1');
    await a.begin();
    const n = a.next();
    await database.db.insert(feedTable).values({ server: 'c1', n, source: 'peers', body: 'lost' });
    expect(await bodies(a)).not.toContain('lost');
    a.uncertain(n);
    expect(await bodies(a)).toContain('lost');
    expect(await bodies(a)).toEqual([]);
  });

  test('a server that has written much does not hold up all else: after 1,000 records of it, reading pauses', async () => {
    const b = server('d2');
    await b.begin();
    await database.db.execute(sql`
      insert into feed (server, n, source, body) select 'd1', n, 'peers', 'b' || n from generate_series(1, 1050) as n`);
    const read: string[] = [];
    const next = () => b.read(({ body }) => void read.push(body));
    expect([await next(), read.length]).toEqual([false, 1000]);
    expect([await next(), read.length]).toEqual([true, 1050]);
    expect(read.at(-1)).toBe('b1050');
  });
});
