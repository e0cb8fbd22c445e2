import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eq, sql } from 'drizzle-orm';
import { logHead, registrationHistory } from '#db/schema/index.ts';
import type { RegistryEvent } from '@mesh-registry/protocol/log/registry-event.schema.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { activeName, aStart, postJson } from './contract/contract.ts';
import { accept, reject, revoke } from './support/decisions.ts';
import { keys, root } from './support/network-truth.ts';
import { believedBlocks, eventsIn, files, publishedAt, setUp } from './support/registry-log.ts';
import { watchPostgres } from './support/postgres-watch.ts';
import { startTestServer } from './support/server.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** What is younger can still be undone, or is being undone. */
const SETTLED_MS = 10_000;

const known = (events: RegistryEvent[]) =>
  events.map(({ at, event, name, nodeId }) => [at, event, name ?? '', nodeId].join(' '));

describe('the registry’s log', () => {
  test('has each event once, also after a reset has given its registration another link', async () => {
    const { directory, clock, start } = await setUp();
    const server = await start();
    const { identity, registryLog, registration } = server.services;
    const nodeId = 'node_a';
    const { id } = await activeName(server, { name: 'garage', nodeId });
    await registration.claimByKey({ nodeId, id, key: nodeKeyText(generateNodeKey()) });
    clock.advance(SETTLED_MS);
    expect(await registryLog.write()).toMatchObject({ events: 1 });
    await identity.reset({ nodeId, reviewer: 'ada@example.org', reason: 'stolen' });
    const [renewed] = (await identity.keysOf(nodeId)).renewed;
    expect(renewed?.secretId).not.toBe(id);
    expect(await registryLog.write()).toMatchObject({ events: 0 });
    // A server that has just started compares all of the history with the log.
    await server.stop();
    await (await start()).services.registryLog.write();
    expect(known(eventsIn(directory))).toHaveLength(1);
  });

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
    // What was undone did not happen.
    await services.review.undo({ note: shed.note, reviewer });
    await accept(services, { id: shed.id, reviewer });
    await services.review.undo({ note: shed.note, reviewer });
    await revoke(services, { id: garage.id, reviewer, reason });
    await services.review.undo({ note: garage.note, reviewer });
    // Nor has anything yet that can still be undone.
    expect(await services.registryLog.write()).toMatchObject({ events: 0, blocks: 0 });
    clock.advance(SETTLED_MS);
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
    clock.advance(SETTLED_MS);
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
    clock.advance(SETTLED_MS);
    expect(await again.services.registryLog.write()).toMatchObject({ events: 1 });
    expect(await believedBlocks(directory)).toBe(3);
  });
});

describe('a registry', () => {
  test('is compared with any number of events in small transactions', async () => {
    const { directory, clock, env, start } = await setUp();
    const watch = await watchPostgres(env.DATABASE_URL);
    onTestFinished(() => watch.stop());
    const events = 12_000;
    const server = await start();
    await server.database.db.execute(sql`
      insert into review_actions (id, at, actor, action, subject, reason)
      select 'action_' || n, at + n * interval '1 millisecond', 'ada', 'node_blocked', 'node_' || n, 'spam'
      from generate_series(1, ${events}::int) as n, (values (${clock.iso()}::timestamptz)) as t(at)`);
    clock.advance(events + SETTLED_MS);
    expect(await server.services.registryLog.write()).toMatchObject({ events });
    await server.stop();
    // A server that has just started compares all of the history with the log.
    await start({ ...env, DATABASE_URL: watch.url });
    expect(eventsIn(directory)).toHaveLength(events);
    expect(watch.mostStatements).toBeLessThan(14);
  });

  test('that does not say where to write has no log', async () => {
    const server = await startTestServer();
    onTestFinished(() => server.stop());
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
    // The newest block is in the database as well.
    for (const name of ['first', 'second']) {
      await activeName(server, { name });
      clock.advance(SETTLED_MS);
      await server.services.registryLog.write();
    }
    const { height, id } = BlockReader.open(directory).head;
    await server.stop();
    rmSync(directory, { recursive: true });
    const published = publishedAt(clock.now, { truth: { log: { height, id } } });
    writeFileSync(truthFile, JSON.stringify(published));
    const again = await start();
    await expect(again.services.registryLog.write()).rejects.toThrow(
      'ends at block 0, but the network’s truth names block 2. Fetch the blocks that are missing',
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
    clock.advance(SETTLED_MS);
    await server.services.registryLog.write();
    const { path, remove } = temporaryDirectory();
    onTestFinished(remove);
    const peer = BlockLog.open(path, { trust: new Trust(root()), now: clock.read });
    await peer.append(BlockReader.open(directory).frames(1, 100, 1e6));
    // With the same key, and other events. Whoever means to do so makes the database forget the log, too.
    await server.database.db.delete(logHead);
    await server.stop();
    rmSync(directory, { recursive: true });
    clock.advance(1000);
    const again = await start();
    await activeName(again, { name: 'second' });
    clock.advance(SETTLED_MS);
    await again.services.registryLog.write();
    const { added, bad } = await peer.append(BlockReader.open(directory).frames(1, 100, 1e6));
    expect([added, bad?.reason]).toEqual([0, 'fork']);
    expect(bad?.message).toBe('There are two signed blocks at height 1.');
    await peer.close();
  });

  test('writes with one process at a time', async () => {
    const { directory, clock, start } = await setUp();
    const [one, two] = [await start(), await start()];
    const { registryLog } = one.services;
    const first = await registryLog.write();
    expect(first).toMatchObject({ events: 0 });
    await activeName(two);
    clock.advance(SETTLED_MS);
    expect(await two.services.registryLog.write()).toEqual({ writer: process.pid });
    expect(two.services.registryLog.head()).toMatchObject({ height: 0 });
    await one.stop();
    expect(await two.services.registryLog.write()).toMatchObject({ events: 1 });
    expect(eventsIn(directory)).toHaveLength(1);
  });
});
