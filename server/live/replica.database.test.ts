import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { peers, type PeerRow } from '#db/schema/index.ts';
import { SLICE_STEPS } from '#server/common/slices.ts';
import { createLog } from '#server/log.ts';
import { createTestDatabase } from '../../test/support/databases.ts';
import { SOON } from '../../test/support/until.ts';
import { Feed } from './replica/feed.ts';
import type { LiveTable } from './replica/live-table.ts';
import { LiveModel } from './replica/read-model.ts';
import { Replica } from './replica/replica.ts';

/** A database with so many nodes. */
async function setUp(count: number) {
  const own = await createTestDatabase();
  const database = await openDatabase({ databaseUrl: own.env.DATABASE_URL, dataDir: '' });
  onTestFinished(async () => {
    await database.close();
    await own.drop();
  });
  await database.db.execute(sql`
    insert into peers (id, status, lat, lng, joined_at, last_seen, written_by)
    select 'node_' || n, 'online', 37.5, -122.5, now(), now(), 'test'
    from generate_series(1, ${count}::int) as n`);
  return database.db;
}

/** Counts how many rows change in one turn of the event loop, at most. */
function mostInOneTurn(table: LiveTable<PeerRow>): () => number {
  let [most, now] = [0, 0];
  let turn: NodeJS.Immediate;
  const next = () => {
    now = 0;
    turn = setImmediate(next);
  };
  next();
  onTestFinished(() => clearImmediate(turn));
  table.follow({
    changed: () => (most = Math.max(most, ++now)),
    removed: () => (most = Math.max(most, ++now)),
  });
  return () => most;
}

test('a load reads every row, however many pages they fill, in slices', async () => {
  // Two full pages and one more row.
  const count = 4001;
  const db = await setUp(count);
  const replica = new Replica<PeerRow>(peers);
  const most = mostInOneTurn(replica.rows);
  let pages = 0;
  const load = () => replica.load(db, () => Promise.resolve(void pages++));
  await load();
  expect({ pages, rows: replica.rows.size }).toEqual({ pages: 3, rows: count });
  // The database has lost them.
  await db.delete(peers);
  await load();
  expect(replica.rows.size).toBe(0);
  expect(most()).toBeLessThanOrEqual(SLICE_STEPS);
});

test('what another server has written is applied in slices, every row whole and in order', async () => {
  const [nodes, records] = [60, 110];
  const db = await setUp(nodes);
  const create = (id: string) =>
    new LiveModel(db, new Feed(db, id, false), Date.now, createLog('silent'));
  const [writer, reader] = [create('writer'), create('reader')];
  await reader.loadAll();
  onTestFinished(() => reader.stop());
  const rows = [...reader.peers.rows()];
  const most = mostInOneTurn(reader.peers);
  const wrong: object[] = [];
  let changes = -nodes;
  reader.peers.follow({
    changed(row, before) {
      changes++;
      const whole = row.lat === row.rev % 90 && row.lng === row.rev;
      if (before && !(whole && row.rev === before.rev + 1)) wrong.push({ row, before });
    },
    removed: (row) => wrong.push(row),
  });

  // More than one statement reads.
  await db.transaction(async (tx) => {
    for (let n = 1; n <= records; n++) {
      const written = rows.map((row) => ({ ...row, rev: row.rev + n }));
      for (const row of written) Object.assign(row, { lat: row.rev % 90, lng: row.rev });
      await writer.record(tx, 'peers', written);
    }
  });
  await vi.waitFor(() => expect(changes).toBe(nodes * records), SOON);
  expect(wrong).toEqual([]);
  expect(most()).toBeLessThanOrEqual(SLICE_STEPS);
});
