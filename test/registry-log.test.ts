import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase, type Db } from '#db/client.ts';
import { registrationHistory, registrations } from '#db/schema.ts';
import { RegistryBody, type RegistryEvent } from '#server/registry-log/registry-event.schema.ts';
import { decodeBlock } from '#shared/block-log/block.ts';
import { BlockLog } from '#shared/block-log/block-log.ts';
import { BlockReader } from '#shared/block-log/block-reader.ts';
import { generateNodeKey, nodeKeyToPem } from '#shared/node-key.ts';
import type { Root, Truth } from '#shared/truth/truth.schema.ts';
import { Trust } from '#shared/truth/trust.ts';
import { activeName, aStart, postJson } from './contract/contract.ts';
import { createTestDatabase } from './support/databases.ts';
import { accept, reject, revoke } from './support/decisions.ts';
import { FakeClock } from './support/fake-clock.ts';
import { HOUR, iso, keys, loggers, root, truth } from './support/network-truth.ts';
import { rounds } from './support/rounds.ts';
import {
  endAllServers,
  runCommand,
  spawnBuilt,
  startServerProcess,
} from './support/server-process.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  endAllServers();
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** The network's root and truth, issued an hour before a moment (ms). */
function publishedAt(now: number, fields: { root?: Partial<Root>; truth?: Partial<Truth> } = {}) {
  const times = { issued: iso(now - HOUR), expires: iso(now + HOUR) };
  return {
    roots: [root({ ...times, ...fields.root })],
    truth: truth({ ...times, ...fields.truth }),
  };
}

/** The files of a registry that writes its log, and the variables that name them. */
function files({ published = publishedAt(Date.now()), key = loggers[0] } = {}) {
  const { path, remove } = temporaryDirectory();
  stops.push(remove);
  const [directory, keyFile, truthFile] = ['log', 'block.key', 'truth.json'].map((name) =>
    join(path, name),
  ) as [string, string, string];
  writeFileSync(truthFile, JSON.stringify(published));
  writeFileSync(keyFile, nodeKeyToPem(key ?? generateNodeKey()), { mode: 0o600 });
  const env = {
    REGISTRY_LOG_DIR: directory,
    REGISTRY_LOG_KEY_FILE: keyFile,
    TRUTH_FILE: truthFile,
    // Tests write it when they want to.
    REGISTRY_LOG_MS: '86400000',
  };
  return { directory, keyFile, truthFile, env };
}

async function setUp() {
  const database = await createTestDatabase();
  stops.push(() => database.drop());
  const clock = new FakeClock();
  const log = files({ published: publishedAt(clock.now) });
  const env = { ...database.env, ...log.env, RATE_LIMITS: 'off' };
  const start = async (): Promise<TestServer> => {
    const server = await startTestServer({ clock: clock.read, env });
    stops.push(() => server.stop());
    // After the run with which it starts.
    await server.services.registryLog.write().catch(() => undefined);
    return server;
  };
  return { ...log, env, clock, start };
}

/** The events of a log, in their order. */
function eventsIn(directory: string): RegistryEvent[] {
  const reader = BlockReader.open(directory);
  return reader
    .frames(1, 1000, 1e9)
    .flatMap((frame) => RegistryBody.parse(JSON.parse(decodeBlock(frame).body.toString())).events);
}

const known = (events: RegistryEvent[]) =>
  events.map(({ at, event, name, nodeId }) => [at, event, name ?? '', nodeId].join(' '));

/** What the network's nodes would say of a log. */
async function believedBlocks(directory: string): Promise<number> {
  const { path, remove } = temporaryDirectory();
  stops.push(remove);
  const copy = BlockLog.open(path, { trust: new Trust(root()), now: () => Infinity });
  const { added, bad } = await copy.append(BlockReader.open(directory).frames(1, 1024, 1e9));
  expect(bad).toBeNull();
  await copy.close();
  return added;
}

describe('the registry’s log', () => {
  test('has what everybody may know of names and blocked nodes, once, and nothing else', async () => {
    const { directory, clock, start } = await setUp();
    const server = await start();
    const { services } = server;
    const written: string[] = [];
    const happens = (event: string, name: string, nodeId: string) => {
      written.push([clock.iso(), event, name, nodeId].join(' '));
      clock.advance(1000);
    };
    const reviewer = 'ada@example.org';
    const reason = 'a private reason';
    const confirmed = async (name: string, nodeId: string) => {
      const start = aStart({ name, nodeId, label: `A private label of ${name}` });
      const { id, paymentNote } = await postJson(server, '/api/registry/register', start, 201);
      const confirm = { action: 'confirm', id, cashConfirm: 'paid by a friend' };
      await postJson(server, '/api/registry/register', confirm, 200);
      return { id: id as string, note: paymentNote as string };
    };
    const [garage, attic, shed] = [
      await confirmed('garage', 'node_a'),
      await confirmed('attic', 'node_b'),
      await confirmed('shed', 'node_c'),
    ];

    await accept(services, { id: garage.id, reviewer });
    happens('activated', 'garage', 'node_a');
    await accept(services, { id: attic.id, reviewer });
    happens('activated', 'attic', 'node_b');
    await reject(services, { id: shed.id, reviewer, reason });
    expect(await services.registryLog.write()).toMatchObject({ events: 2, blocks: 1 });
    expect(await services.registryLog.write()).toMatchObject({ events: 0, blocks: 0 });

    await services.nodes.block({ nodeId: 'node_x', reviewer, reason });
    happens('blocked', '', 'node_x');
    await revoke(services, { id: garage.id, reviewer, reason });
    happens('revoked', 'garage', 'node_a');
    const cancel = { action: 'cancel', id: attic.id };
    await postJson(server, '/api/registry/register', cancel, 200);
    happens('released', 'attic', 'node_b');
    await services.nodes.unblock({ nodeId: 'node_x', reviewer, reason });
    happens('unblocked', '', 'node_x');
    expect(await services.registryLog.write()).toMatchObject({ events: 4, blocks: 1 });

    expect(known(eventsIn(directory))).toEqual(written);
    expect(eventsIn(directory)[0]).toMatchObject({ kinds: ['node', 'compute'] });
    expect(services.registryLog.head()).toEqual(BlockReader.open(directory).head);
    expect(await believedBlocks(directory)).toBe(2);
    const bytes = readdirSync(directory)
      .filter((name) => /blocks|index/.test(name))
      .map((name) => readFileSync(join(directory, name), 'latin1'))
      .join();
    for (const secret of [reviewer, 'ada@', 'private', 'friend', 'shed', 'node_c', 'MESH-'])
      expect(bytes, secret).not.toContain(secret);
    for (const { id, note } of [garage, attic, shed])
      for (const secret of [id, id.slice(4), note]) expect(bytes).not.toContain(secret);
  });

  test('goes on after a restart, and misses no event that was committed late', async () => {
    const { directory, clock, start } = await setUp();
    const server = await start();
    await activeName(server, { name: 'first' });
    clock.advance(60_000);
    await server.services.registryLog.write();
    // Another server took the moment before that run, and committed after it.
    const { id } = await activeName(server, { name: 'second' });
    clock.advance(1000);
    await server.database.db
      .update(registrationHistory)
      .set({ at: new Date(clock.now - 90_000) })
      .where(eq(registrationHistory.registrationId, id));
    expect(await server.services.registryLog.write()).toMatchObject({ events: 1 });
    expect(eventsIn(directory).map(({ name }) => name)).toEqual(['first', 'second']);
    await server.stop();

    const again = await start();
    expect(await again.services.registryLog.write()).toMatchObject({ events: 0 });
    await activeName(again, { name: 'third' });
    expect(await again.services.registryLog.write()).toMatchObject({ events: 1 });
    expect(await believedBlocks(directory)).toBe(3);
  });
});

describe('a registry', () => {
  test('that does not say where to write has no log', async () => {
    const server = await startTestServer();
    stops.push(() => server.stop());
    expect(await server.services.registryLog.write()).toBeNull();
    expect(server.services.registryLog.head()).toBeNull();
  });

  test('does not start with a key that cannot sign its log, and says why', async () => {
    const { env } = files({ key: keys(1)[0] });
    await expect(startTestServer({ env })).rejects.toThrow(/doesn’t name \S{43} as a block key/);
  });

  test('that has lost its log does not begin another one once the truth names a block', async () => {
    const { directory, truthFile, clock, start } = await setUp();
    const server = await start();
    await activeName(server);
    await server.services.registryLog.write();
    const { height, id } = BlockReader.open(directory).head;
    await server.stop();
    rmSync(directory, { recursive: true });
    const published = publishedAt(clock.now, { truth: { log: { height, id } } });
    writeFileSync(truthFile, JSON.stringify(published));
    const again = await start();
    await expect(again.services.registryLog.write()).rejects.toThrow(
      'ends at block 0, but the network’s truth names block 1. Restore it from a backup',
    );
    // It has tried by itself as well, and goes on with everything else.
    await expect.poll(() => again.services.registryLog.failing()).toBe(true);
    expect(again.log()).toContain('could not write the registry’s log');
    const metrics = await (await again.get('/metrics')).text();
    expect(metrics).toContain('\nmesh_registry_log_failing 1\n');
    expect(metrics).toContain('\nmesh_registry_log_height 0\n');
  });

  test('that rewrites its history is found out by whoever has the blocks before', async () => {
    const { directory, clock, start } = await setUp();
    const server = await start();
    await activeName(server, { name: 'first' });
    await server.services.registryLog.write();
    const { path, remove } = temporaryDirectory();
    stops.push(remove);
    const peer = BlockLog.open(path, { trust: new Trust(root()), now: clock.read });
    await peer.append(BlockReader.open(directory).frames(1, 100, 1e6));
    await server.stop();

    // With the same key, and the same events at another time.
    rmSync(directory, { recursive: true });
    clock.advance(1000);
    const again = await start();
    await activeName(again, { name: 'second' });
    await again.services.registryLog.write();
    const { added, bad } = await peer.append(BlockReader.open(directory).frames(1, 100, 1e6));
    expect([added, bad?.reason]).toEqual([0, 'fork']);
    expect(bad?.block?.header.height).toBe(1);
    await peer.close();
  });

  test('writes with one process at a time', async () => {
    const { directory, start } = await setUp();
    const [one, two] = [await start(), await start()];
    const { registryLog } = one.services;
    const first = await registryLog.write();
    expect(first).toMatchObject({ events: 0 });
    await activeName(two);
    expect(await two.services.registryLog.write()).toEqual({ writer: process.pid });
    expect(two.services.registryLog.head()).toMatchObject({ height: 0 });
    await one.stop();
    expect(await two.services.registryLog.write()).toMatchObject({ events: 1 });
    expect(eventsIn(directory)).toHaveLength(1);
  });
});

describe('npm run registry-log', () => {
  /** A database with the history of some names, and what the command needs. */
  async function history(count: number) {
    const database = await createTestDatabase();
    stops.push(() => database.drop());
    const log = files();
    const env = { ...database.env, ...log.env };
    const add = async (from: number, to: number) => {
      const opened = await openDatabase({
        databaseUrl: database.env.DATABASE_URL,
        dataDir: '',
      });
      try {
        await addNames(opened.db, from, to);
      } finally {
        await opened.close();
      }
    };
    await add(0, count);
    return { ...log, env, add };
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
    const { env, directory, add } = await history(EVENTS);
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
