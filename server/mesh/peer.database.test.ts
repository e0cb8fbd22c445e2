import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '#db/client.ts';
import { peers } from '#db/schema/index.ts';
import { Feed, groupedUpsert, mergeRow } from '#server/live/index.ts';
import { NODE_CLASSES, PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/databases.ts';
import { rounds } from '../../test/support/rounds.ts';
import { PEER_MERGES, pingWrite, type PingWrite } from './peer.ts';

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

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const write = fc
  .record({
    nodeId: fc.constantFrom('a', 'b'),
    lat: fc.integer({ min: -90, max: 90 }),
    lng: fc.integer({ min: -179, max: 179 }),
    label: maybe(fc.constantFrom('garage', 'attic')),
    class: maybe(fc.constantFrom(...NODE_CLASSES)),
    region: maybe(fc.constantFrom('EU', 'NA')),
    status: maybe(fc.constantFrom(...PEER_STATUSES)),
    at: fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_009 }),
  })
  .map(
    ({ at, nodeId, ...ping }) =>
      (run: number) =>
        pingWrite({ nodeId: `${nodeId}_${run}`, ...ping }, new Date(at), 0.5),
  );

test('heartbeats merge in memory as PostgreSQL stores them, in whatever groups and order', async () => {
  const feed = new Feed(database.db, 'test', false);
  const upsert = groupedUpsert(database.db, feed, peers, PEER_MERGES);
  let run = 0;
  const groups = fc.array(fc.array(write, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(groups, async (given) => {
      run++;
      const expected = new Map<string, PingWrite>();
      for (const group of given) {
        const writes = group.map((write) => write(run));
        for (const write of writes) {
          const known = expected.get(write.id);
          expected.set(write.id, known ? mergeRow(PEER_MERGES, write, known) : write);
        }
        for (const { rev: _, ...row } of await upsert(writes))
          expect(row).toEqual(expected.get(row.id));
      }
    }),
    { numRuns: rounds(50) },
  );
});
