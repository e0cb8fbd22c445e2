import { cpSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase, type Db } from '#db/client.ts';
import { logHead, registrationHistory, registrations } from '#db/schema/index.ts';
import { createTestDatabase } from '../support/databases.ts';
import { HOUR } from '../support/network-truth.ts';
import { believedBlocks, eventsIn, files } from '../support/registry-log.ts';
import { rounds } from '../support/rounds.ts';
import {
  endAllServers,
  runCommand,
  spawnBuilt,
  startServerProcess,
} from '../support/server-process.ts';

afterEach(endAllServers);

describe('npm run registry-log', () => {
  /** A database with the history of some names, and what the command needs. */
  async function history(count: number) {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const log = files();
    const env = { ...database.env, ...log.env };
    const inDatabase = async (work: (db: Db) => Promise<unknown>) => {
      const opened = await openDatabase({
        databaseUrl: database.env.DATABASE_URL,
        dataDir: '',
      });
      try {
        await work(opened.db);
      } finally {
        await opened.close();
      }
    };
    const add = (from: number, to: number) => inDatabase((db) => addNames(db, from, to));
    await add(0, count);
    /** As 30 seconds after the writer was killed. */
    const endLease = () =>
      inDatabase((db) =>
        db
          .update(logHead)
          .set({ leaseUntil: new Date(0) })
          .then(),
      );
    return { ...log, env, add, endLease };
  }

  async function addNames(db: Db, from: number, to: number): Promise<void> {
    const at = new Date(Date.now() - HOUR / 2);
    const numbers = Array.from({ length: to - from }, (_, i) => from + i);
    const idOf = (n: number) => `reg_${String(n).padStart(26, '0')}`;
    const times = { createdAt: at, updatedAt: at, expiresAt: at, activatedAt: at };
    await db.insert(registrations).values(
      numbers.map((n) => ({
        ...times,
        id: idOf(n),
        name: `name-${n}`,
        label: 'label',
        class: 'S' as const,
        region: 'ZZ',
        nodeId: `node_${n}`,
        kinds: ['node' as const],
        status: 'active' as const,
        paymentNote: `MESH-${n}`,
        feeCents: 500,
        writtenBy: 'test',
      })),
    );
    await db.insert(registrationHistory).values(
      numbers.map((n) => ({
        registrationId: idOf(n),
        rev: 3,
        at,
        actor: 'ada',
        fromStatus: 'pending_review' as const,
        toStatus: 'active' as const,
      })),
    );
  }

  test('killed while it writes, it goes on where it was: no event is missing, and none is there twice', async () => {
    const EVENTS = 1200;
    const { env, directory, add, endLease } = await history(EVENTS);
    const file = join(directory, '000000000001.blocks');
    const size = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    let cut = 0;
    let total = EVENTS;
    // Until one was cut at least: else nothing is tested.
    for (let round = 0; round < rounds(2) || cut === 0; round++) {
      const before = size();
      const { child, output } = spawnBuilt(['registry-log.js'], env);
      const closed = new Promise((resolve) => child.once('close', resolve));
      while (size() <= before && child.exitCode === null) await nextTurn();
      child.kill('SIGKILL');
      await closed;
      if (output() === '') cut++;
      await endLease();
      await add(total, total + EVENTS);
      total += EVENTS;
    }
    const last = await runCommand('registry-log', [], env);
    expect(last, last.output).toMatchObject({ code: 0 });
    expect(last.output).toContain(`The log in ${directory} ends with block `);
    const names = eventsIn(directory).map(({ name }) => name);
    expect([names.length, new Set(names).size]).toEqual([total, total]);
    expect(await believedBlocks(directory)).toBeGreaterThanOrEqual(total / 500);
    const again = await runCommand('registry-log', [], env);
    expect(again.output).toMatch(/^Nothing new\. The log in /);
  });

  test('completes the log from a copy, and then goes on; one that is older is not continued', async () => {
    const { env, directory, add } = await history(600);
    await runCommand('registry-log', [], env);
    const older = `${directory}.older`;
    cpSync(directory, older, { recursive: true });
    await add(600, 1800);
    await runCommand('registry-log', [], env);
    const newest = `${directory}.newest`;
    renameSync(directory, newest);
    renameSync(older, directory);
    // The newest blocks are in the database as well, but not the oldest.
    rmSync(join(directory, '000000000001.index'));
    rmSync(join(directory, '000000000001.blocks'));
    const refused = await runCommand('registry-log', [], env);
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringMatching(
        /^The log in .* ends at block 0, but the registry has written block 5\. Fetch the blocks .*--recover URL/,
      ),
    ]);
    const recovered = await runCommand('registry-log', ['--recover', newest], env);
    expect(recovered.output).toMatch(/^Fetched 5 blocks\. The log in .* ends with block 5, /);
    expect(eventsIn(directory)).toHaveLength(1800);
    expect((await runCommand('registry-log', [], env)).output).toMatch(/^Nothing new\./);
    for (const args of [['--recover'], ['--accept-head', 'x'], ['--other']])
      expect((await runCommand('registry-log', args, env)).output).toContain('--recover with one');
  });

  test('leaves the log to the service that writes it', async () => {
    const { env, directory } = await history(3);
    const server = await startServerProcess(env);
    await expect.poll(() => eventsIn(directory)).toHaveLength(3);
    const { code, output } = await runCommand('registry-log', [], env);
    expect([code, output.trim()]).toEqual([
      0,
      `Process ${server.pid} is running and writes the log in ${directory} itself. There is nothing to do.`,
    ]);
    expect(await server.end('SIGTERM')).toBe(0);
    expect((await runCommand('registry-log', [], env)).output).toMatch(/^Nothing new\./);
  });

  test('writes the log for a service that runs and does not write it, if it knows where', async () => {
    const { env, directory } = await history(1);
    const { REGISTRY_LOG_DIR: _, REGISTRY_LOG_KEY_FILE: __, ...without } = env;
    const server = await startServerProcess(without);
    const { code, output } = await runCommand('registry-log', [], env);
    expect(code, output).toBe(0);
    expect(output).toMatch(/^Wrote 1 event\. The log in .* ends with block 1, /);
    expect(eventsIn(directory)).toHaveLength(1);
    expect(await server.end('SIGTERM')).toBe(0);
    const unset = await runCommand('registry-log', [], without);
    expect([unset.code, unset.output]).toEqual([
      1,
      expect.stringContaining('Set REGISTRY_LOG_DIR'),
    ]);
  });
});
