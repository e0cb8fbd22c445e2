import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/support/databases.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { openDatabase, type Database } from '#db/client.ts';
import { statusMinutes } from '#db/schema/index.ts';
import type { GenesisHealth } from '#server/mesh/index.ts';
import { HISTORY_MS, MINUTE_MS, StatusRecorder } from './recorder.ts';

const silent = pino({ level: 'silent' });
const open = ({ DATABASE_URL }: TestDatabase['env']) =>
  openDatabase({ databaseUrl: DATABASE_URL, dataDir: '' });

const online = (latencyMs: number): GenesisHealth => ({
  status: 'online',
  latencyMs,
  checkedAt: 0,
  lastSeen: 0,
});
/** A failed check still carries the latency of the last successful one. */
const offline: GenesisHealth = { ...online(999), status: 'offline' };

describe('the status history', () => {
  let own: TestDatabase;
  let database: Database;
  let clock: FakeClock;
  const processOf = (server: string) => new StatusRecorder(database.db, server, clock.read, silent);

  beforeAll(async () => {
    own = await createTestDatabase();
    database = await open(own.env);
  });
  afterAll(async () => {
    await database.close();
    await own.drop();
  });
  beforeEach(async () => {
    clock = new FakeClock();
    await database.db.delete(statusMinutes);
  });

  test('the counts of two processes add up, for both of them and for a third', async () => {
    const [a, b] = [processOf('a'), processOf('b')];
    const minute = clock.now;
    a.pings(10);
    a.genesis(online(20));
    b.pings(5);
    b.announces(2);
    b.genesis(online(70));
    b.genesis(offline);
    clock.advance(MINUTE_MS);
    await a.write();
    await b.write();
    // Again, as after a lost answer.
    await a.write();
    for (const reader of [a, b, processOf('c')]) {
      await reader.refresh();
      expect(reader.minutes().get(minute)).toEqual({
        checksOk: 2,
        checksFailed: 1,
        latencySumMs: 90,
        latencyMaxMs: 70,
        pings: 15,
        announces: 2,
        servers: 2,
      });
    }
  });

  test('a clean stop keeps the current minute, and a crash loses only that one', async () => {
    const [stopped, crashed] = [processOf('stopped'), processOf('crashed')];
    const first = clock.now;
    stopped.pings(1);
    crashed.pings(10);
    clock.advance(MINUTE_MS);
    await stopped.write();
    await crashed.write();
    stopped.pings(2);
    crashed.pings(20);
    await stopped.stop();

    const next = processOf('next');
    await next.refresh();
    const pings = [...next.minutes()].map(([at, minute]) => [at - first, minute.pings]);
    expect(pings).toEqual([
      [0, 11],
      [MINUTE_MS, 2],
    ]);
  });

  test('a minute without heartbeats is zero, and one without a process is a gap', async () => {
    const first = processOf('first');
    const start = clock.now;
    first.start();
    clock.advance(MINUTE_MS);
    await first.stop();
    clock.advance(3 * MINUTE_MS);
    const second = processOf('second');
    second.start();
    await second.refresh();
    expect([...second.minutes().keys()].map((at) => (at - start) / MINUTE_MS)).toEqual([0, 1, 4]);
    await second.stop();
  });

  test('minutes older than a day are not shown, and are deleted soon after', async () => {
    const recorder = processOf('a');
    const first = clock.now;
    recorder.pings(1);
    clock.advance(MINUTE_MS);
    await recorder.write();
    clock.advance(HISTORY_MS - 2 * MINUTE_MS);
    expect(recorder.minutes().has(first)).toBe(true);
    clock.advance(MINUTE_MS);
    recorder.pings(1);
    expect(recorder.minutes().has(first)).toBe(false);
    clock.advance(61 * MINUTE_MS);
    await recorder.write();
    const rows = await database.db.select().from(statusMinutes);
    expect(rows.map(({ minute }) => minute.getTime() - first)).toEqual([HISTORY_MS]);
  });
});

test('minutes wait while the database is unreachable, for at most a day', async () => {
  const server = await startPostgres();
  const database = await openDatabase({ databaseUrl: server.url(), dataDir: '' });
  const clock = new FakeClock();
  const recorder = new StatusRecorder(database.db, 'a', clock.read, silent);
  const pass = (minutes: number) => {
    for (let n = 0; n < minutes; n++) {
      recorder.pings(1);
      clock.advance(MINUTE_MS);
    }
  };
  const written = async () =>
    (await database.db.select().from(statusMinutes)).map(({ minute }) => minute.getTime());
  try {
    pass(1);
    await recorder.write();
    await server.kill();
    pass(3);
    await recorder.write();
    expect(recorder.minutes().size).toBe(5);
    await server.start();
    await recorder.write();
    expect(await written()).toHaveLength(4);

    await server.kill();
    pass(30 * 60);
    await recorder.write();
    await server.start();
    await recorder.write();
    const rows = await written();
    expect(Math.max(...rows)).toBe(clock.now - MINUTE_MS);
    expect(Math.min(...rows)).toBe(clock.now - HISTORY_MS + MINUTE_MS);
    expect(rows).toHaveLength(24 * 60 - 1);
  } finally {
    await database.close();
    await server.stop();
  }
});
