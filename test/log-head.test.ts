import {
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startHealthServer } from '@mesh-registry/agent/peer/health-server.ts';
import { backup, restoreInto, writeBackup, type LogEnd } from '#db/backup/index.ts';
import { openDatabase } from '#db/client.ts';
import { logHead } from '#db/schema/index.ts';
import { blocksForBackup, restoreBlocks } from '#server/network/index.ts';
import { LogHead } from '#server/network/log-head.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { activeName } from './contract/contract.ts';
import { chain } from './support/blocks.ts';
import { createPostgresDatabase } from './support/databases.ts';
import { root } from './support/network-truth.ts';
import { aStatus } from './support/peer-status.ts';
import { eventsIn, setUp } from './support/registry-log.ts';
import type { TestServer } from './support/server.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** Nobody continues the registry's log anywhere but at its end: a second history would stop every peer. */

/** What is younger can still be undone. */
const SETTLED_MS = 10_000;

/** A registry with a log, and a peer that has taken every block of it. */
async function published(names: readonly string[]) {
  const registry = await setUp();
  const { clock, directory, env, start } = registry;
  const peerDirectory = folder();
  const peer = BlockLog.open(peerDirectory, { trust: new Trust(root()), now: clock.read });
  onTestFinished(() => peer.close());
  const add = async (server: TestServer, name: string) => {
    await activeName(server, { name });
    clock.advance(SETTLED_MS);
  };
  const follow = async (from = directory) =>
    peer.append(BlockReader.open(from).frames(1, 1000, 1e9));
  const server = await start();
  const copies: string[] = [];
  const backups: string[] = [];
  const config = { databaseUrl: env.DATABASE_URL, dataDir: '' };
  for (const name of names) {
    copies.push(copyOf(directory));
    await add(server, name);
    await server.services.registryLog.write();
    await follow();
    const file = join(folder(), 'backup.gz');
    const readBlocks = (end: LogEnd) => blocksForBackup(directory, end);
    await backup(config, (bytes) => writeBackup(file, bytes), undefined, readBlocks);
    backups.push(file);
  }
  await server.stop();
  return {
    ...registry,
    peer,
    peerDirectory,
    add,
    follow,
    /** Puts the log back as it was before its last block, or an earlier one. */
    rollBack(blocks = 1) {
      rmSync(directory, { recursive: true });
      cpSync(copies.at(-blocks)!, directory, { recursive: true });
    },
    /** Another database, with the backup made before the last blocks, and variables that select it. */
    async restored(blocks = 1) {
      const database = await createPostgresDatabase(inject('postgresUrl'));
      onTestFinished(() => database.drop());
      const to = { databaseUrl: database.url, dataDir: '' };
      const takeBlocks = async (blocks: AsyncIterable<Buffer>) =>
        void (await restoreBlocks({ directory, trust: new Trust(root()) }, blocks));
      await restoreInto(to, backups.at(-1 - blocks)!, undefined, takeBlocks);
      return { ...env, DATABASE_URL: database.url };
    },
  };
}

/** The health server of a Genesis that has a log. */
async function genesis(log: BlockLog) {
  const server = await startHealthServer('127.0.0.1:0', {
    protocol: 1,
    status: () => aStatus({ log: { ...log.head, contradicted: false } }),
    trust: () => ({ roots: [root()], truth: null }),
    blocks: (from) => ({
      bytes: log.packedBytes(from, 1024, 1e7),
      parts: log.packs(from, 1024, 1e7, 1e6),
    }),
  });
  onTestFinished(() => server.close());
  return { ...server, env: { GENESIS_HEALTH_URL: `${server.url}/health` } };
}

/** As a backup or another machine has it: without the lock of the process that writes. */
function copyOf(directory: string): string {
  const copy = join(folder(), 'log');
  cpSync(directory, copy, { recursive: true });
  rmSync(join(copy, 'mesh.lock'), { force: true });
  return copy;
}

function folder(): string {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return path;
}

test('a copy of the log that is older is not continued, and no peer sees a fork', async () => {
  const { start, add, rollBack, follow, peer } = await published(['first', 'second', 'third']);
  rollBack(2);
  const again = await start();
  await add(again, 'fourth');
  await expect(again.services.registryLog.write()).rejects.toThrow(
    /ends at block 1, but the registry has written block 3\. .*npm run registry-log -- --recover/,
  );
  expect(await follow()).toEqual({ added: 0, bad: null });
  expect(peer.head.height).toBe(3);
});

test('two machines with one key: one waits for the other, and no block has two histories', async () => {
  const { start, env, add, follow, directory, peer } = await published(['first']);
  const other = copyOf(directory);
  const [one, two] = [await start(), await start({ ...env, REGISTRY_LOG_DIR: other })];
  await add(one, 'second');
  const runs = [await one.services.registryLog.write(), await two.services.registryLog.write()];
  expect(runs).toEqual([expect.objectContaining({ events: 1 }), { elsewhere: true }]);
  expect(await follow(other)).toEqual({ added: 0, bad: null });
  expect(await follow()).toEqual({ added: 1, bad: null });
  // The one that waited has what the other one wrote, and goes on.
  await one.stop();
  await add(two, 'third');
  expect(await two.services.registryLog.write()).toMatchObject({ events: 1 });
  expect(eventsIn(other).map(({ name }) => name)).toEqual(['first', 'second', 'third']);
  expect(await follow(other)).toEqual({ added: 1, bad: null });
  expect(peer.head.height).toBe(3);
});

test('killed between the commit and the append, it has the block on disk at its next start', async () => {
  const { start, add, rollBack, follow, directory, peer } = await published(['first', 'second']);
  rollBack();
  const again = await start();
  expect(eventsIn(directory).map(({ name }) => name)).toEqual(['first', 'second']);
  await add(again, 'third');
  expect(await again.services.registryLog.write()).toMatchObject({ events: 1, blocks: 1 });
  expect(await follow()).toEqual({ added: 1, bad: null });
  expect(peer.head.height).toBe(3);
});

test('the log of another history is not continued', async () => {
  const { start, add, directory, clock } = await published(['first', 'second']);
  rmSync(directory, { recursive: true });
  const other = BlockLog.open(directory, { trust: new Trust(root()), now: clock.read });
  await other.append(chain({ count: 3 }));
  await other.close();
  const again = await start();
  await add(again, 'third');
  await expect(again.services.registryLog.write()).rejects.toThrow(
    /Block 2 of the log in .* is not the one that the registry wrote\./,
  );
});

test('a database and a log that are both old, as a snapshot leaves them: Genesis says so', async () => {
  const { start, env, add, rollBack, follow, peer } = await published(['first', 'second', 'third']);
  rollBack(2);
  const { GENESIS_HEALTH_URL } = (await genesis(peer)).env;
  const again = await start({ ...env, GENESIS_HEALTH_URL });
  const { height, id } = peer.head;
  await again.database.db.update(logHead).set({ height: 1, blockId: peer.idAt(1)!, frames: '' });
  await add(again, 'fourth');
  await expect(again.services.registryLog.write()).rejects.toThrow(
    /Genesis has block 3, but the log in .* ends at block 1\./,
  );
  expect(await follow()).toEqual({ added: 0, bad: null });
  expect(peer.head).toMatchObject({ height, id });
});

test('a restored database waits until somebody has compared the log, and goes on with today’s', async () => {
  const { start, add, restored, follow, peer } = await published(['first', 'second', 'third']);
  const env = await restored(2);
  const alone = await start(env);
  await add(alone, 'fourth');
  await expect(alone.services.registryLog.write()).rejects.toThrow(
    /The database was restored\. No Genesis has said .* --accept-head/,
  );
  // The service goes on, and says what is to be done.
  expect((await alone.get('/api/registry')).status).toBe(200);
  await alone.stop();

  const earlier = createServer((_, response) => response.end(JSON.stringify({ height: 3 })));
  onTestFinished(() => void earlier.close());
  await once(earlier.listen(0, '127.0.0.1'), 'listening');
  const { port } = earlier.address() as AddressInfo;
  const unsure = await start({ ...env, GENESIS_HEALTH_URL: `http://127.0.0.1:${port}/health` });
  await expect(unsure.services.registryLog.write()).rejects.toThrow(
    /Genesis is of an earlier release and .*: upgrade it first\./,
  );
  await unsure.stop();

  const compared = await start({ ...env, ...(await genesis(peer)).env });
  expect(await compared.services.registryLog.write()).toMatchObject({ head: { height: 4 } });
  expect(await follow()).toEqual({ added: 1, bad: null });
});

test('a restored log that is behind gets what it lacks from a peer, and nothing from one of another history', async () => {
  const { start, add, restored, rollBack, follow, peer, peerDirectory, directory, clock } =
    await published(['first', 'second', 'third', 'fourth']);
  rollBack(4);
  const host = await genesis(peer);
  const env = { ...(await restored(2)), ...host.env };
  expect(eventsIn(directory).map(({ name }) => name)).toEqual(['first', 'second']);
  const again = await start(env);
  await add(again, 'fifth');
  const { registryLog } = again.services;
  await expect(registryLog.write()).rejects.toThrow(/Genesis has block 4, .* ends at block 2\./);
  await expect(registryLog.acceptHead()).rejects.toThrow(/Genesis has block 4/);

  const other = BlockLog.open(folder(), { trust: new Trust(root()), now: clock.read });
  onTestFinished(() => other.close());
  await other.append(chain({ count: 5 }));
  const stranger = await genesis(other);
  await expect(registryLog.recover(stranger.url)).rejects.toThrow(/can’t be taken/);
  await expect(registryLog.recover(`${again.url}/`)).rejects.toThrow(
    /answers 404\. Name the health/,
  );
  await expect(registryLog.recover(folder())).rejects.toThrow(/has no block 2, so it doesn’t say/);
  expect(eventsIn(directory)).toHaveLength(2);

  expect(await registryLog.recover(host.url)).toMatchObject({ added: 2, head: { height: 4 } });
  expect(await registryLog.write()).toMatchObject({ head: { height: 5 } });
  expect(await follow()).toEqual({ added: 1, bad: null });
  expect(BlockReader.open(peerDirectory).head).toEqual(BlockReader.open(directory).head);
});

const changeByte = (file: string, at: number) => {
  const bytes = readFileSync(file);
  bytes[at]! ^= 1;
  writeFileSync(file, bytes);
};

test('a damaged log is completed from a peer, in its own folder, and unchanged until one has all of it', async () => {
  const { start, directory, peer } = await published(['first', 'second', 'third']);
  const file = join(directory, '000000000001.blocks');
  const whole = readFileSync(file);
  const short = BlockLog.open(folder(), { trust: new Trust(root()), now: () => Infinity });
  onTestFinished(() => short.close());
  await short.append(peer.frames(1, 2, 1e9));
  const [host, shorter] = [await genesis(peer), await genesis(short)];
  // The user of the service can create nothing beside the log.
  const beside = `${directory}.recovering`;
  writeFileSync(beside, '');
  const second = whole.indexOf(peer.read(2)!);
  const damages: [string, () => void, added: number][] = [
    ['in the middle', () => changeByte(file, second + 100), 2],
    ['in the first block', () => changeByte(file, 100), 3],
    ['at the end', () => truncateSync(file, statSync(file).size - 10), 1],
  ];
  for (const [where, damage, added] of damages) {
    damage();
    const damaged = readFileSync(file);
    const again = await start();
    const { registryLog } = again.services;
    await expect(registryLog.write(), where).rejects.toThrow(/(damaged|changed)\. .*--recover URL/);
    await expect(registryLog.recover(shorter.url), where).rejects.toThrow(
      /has no block 3, .* Nothing was changed\./,
    );
    expect(readFileSync(file).equals(damaged), where).toBe(true);
    expect(await registryLog.recover(host.url), where).toMatchObject({ added });
    expect(readFileSync(file).equals(whole), where).toBe(true);
    expect(await registryLog.write(), where).toMatchObject({ head: { height: 3 }, events: 0 });
    await again.stop();
  }
  expect(readFileSync(beside, 'utf8')).toBe('');
  expect(existsSync(join(directory, '.recovering'))).toBe(false);
});

test('a backup never has fewer blocks than its database names, nor those of another history', async () => {
  const { directory, peer, rollBack, clock } = await published(['first', 'second', 'third']);
  const { height, id } = peer.head;
  const frames = peer.read(3)!.toString('base64');
  const backedUp = () => [...blocksForBackup(directory, { height, id, frames })].length;
  expect(backedUp()).toBe(3);
  rollBack(1);
  expect(backedUp()).toBe(3);
  const file = join(directory, '000000000001.blocks');
  changeByte(file, 100);
  expect(backedUp).toThrow(/Block 1 in .* is damaged\. .*unset REGISTRY_LOG_DIR/);
  rmSync(directory, { recursive: true });
  expect(backedUp).toThrow(/ends at block 0, but the registry has written block 3\. .*--recover/);
  const other = BlockLog.open(directory, { trust: new Trust(root()), now: clock.read });
  await other.append(chain({ count: 2 }));
  await other.close();
  expect(backedUp).toThrow(/Block 2 of the log in .* is not the one that the registry wrote\./);
});

test('an empty log, or one that is behind, is not taken by the operator’s word either', async () => {
  const { start, restored, rollBack, follow, directory, peer } = await published([
    'first',
    'second',
    'third',
  ]);
  const env = await restored(1);
  const behind = /ends at block 0, but the registry has written block \d\. .*--recover/;
  for (const variables of [undefined, env]) {
    rmSync(directory, { recursive: true, force: true });
    const again = await start(variables);
    await expect(again.services.registryLog.acceptHead()).rejects.toThrow(behind);
    await expect(again.services.registryLog.acceptHead()).rejects.toThrow(behind);
    await again.stop();
  }
  rollBack(2);
  const again = await start();
  await expect(again.services.registryLog.acceptHead()).rejects.toThrow(
    /ends at block 1, but the registry has written block 3/,
  );
  expect(await follow()).toEqual({ added: 0, bad: null });
  expect(peer.head.height).toBe(3);
});

test('the operator may take the log as it is, if nobody has more', async () => {
  const { start, add, restored, rollBack, directory } = await published([
    'first',
    'second',
    'third',
  ]);
  rollBack(3);
  const again = await start(await restored(1));
  await add(again, 'fourth');
  await expect(again.services.registryLog.write()).rejects.toThrow('--accept-head');
  expect(await again.services.registryLog.acceptHead()).toMatchObject({ head: { height: 3 } });
  expect(eventsIn(directory).map(({ name }) => name)).toEqual(['first', 'second', 'fourth']);
});

test('the lease is renewed, and not by waiting for a step of the same process', async () => {
  const database = await createPostgresDatabase(inject('postgresUrl'));
  onTestFinished(() => database.drop());
  const { db, close } = await openDatabase({ databaseUrl: database.url, dataDir: '' });
  onTestFinished(close);
  const head = new LogHead(db);
  const end = { height: 0, id: '0'.repeat(64) };
  await head.create(end);
  const shorten = (on: typeof db) =>
    on.update(logHead).set({ leaseUntil: sql`clock_timestamp() + interval '10 seconds'` });
  const secondsLeft = async () => {
    const left = sql<number>`extract(epoch from ${logHead.leaseUntil} - clock_timestamp())::float`;
    return (await db.select({ left }).from(logHead))[0]!.left;
  };
  await shorten(db);
  await head.renew();
  expect(await secondsLeft()).toBeGreaterThan(15);
  await db.transaction(async (tx) => {
    expect(await head.hold(tx, end)).toBe(true);
    await shorten(tx);
    await head.renew();
    await head.advance(tx, end, []);
  });
  expect(await secondsLeft()).toBeGreaterThan(15);
});
