import { execFileSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openDatabase, openEmbedded } from '#db/client.ts';
import { RESERVE_BYTES } from '#db/embedded/disk-space.ts';
import { Pool } from '#db/connection/pool.ts';
import type { Mesh } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  endAllServers,
  startServerProcess,
  type ServerProcess,
} from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { expectNothingHalf, expectNothingLost, readAllAndClose } from './contents.ts';
import { Load } from './load.ts';
import { getJson, post } from './support.ts';

/** A small file system of its own in `path`. @returns false where nothing can be mounted */
function mount(path: string, megabytes: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', path], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

const canMount = (() => {
  const { path, remove } = temporaryDirectory();
  const mounted = process.platform === 'linux' && mount(path, 1);
  if (mounted) execFileSync('umount', [path]);
  else console.log('Skipped: full disks, because no small file system can be mounted here.');
  remove();
  return mounted;
})();

/** Takes all space there is. */
function fill(directory: string): string {
  const path = join(directory, 'filler');
  const file = openSync(path, 'w');
  for (const piece of [1_000_000, 10_000, 1])
    try {
      for (;;) writeSync(file, Buffer.alloc(piece));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  closeSync(file);
  return path;
}

const storage = async (server: ServerProcess) =>
  (await getJson<{ storage: string }>(server.url, '/readyz')).storage;

/** As nothing of the service does: until the database has no byte left. */
async function writeWithoutLimit(dataDir: string): Promise<void> {
  const embedded = await openEmbedded({ dataDir }, { ownership: 'join' });
  const pool = new Pool(embedded.url, { max: 1 });
  try {
    await pool.unsafe('create table junk (text text)');
    for (let megabytes = 0; megabytes < 300; megabytes += 3)
      await pool.unsafe(
        `insert into junk select string_agg(md5(random()::text), '') from generate_series(1, 100000)`,
      );
  } finally {
    await pool.close();
    await embedded.stop();
  }
}

afterEach(endAllServers);

describe.skipIf(!canMount)('a full disk', () => {
  const mounted: string[] = [];
  afterAll(() => {
    for (const path of mounted) execFileSync('umount', ['-l', path]);
  });
  function fileSystem(megabytes: number): string {
    const { path } = temporaryDirectory();
    expect(mount(path, megabytes)).toBe(true);
    mounted.push(path);
    return path;
  }

  it.each(['of the database', 'of its log'])(
    '%s refuses writes with storage_full, never with 500, and goes on by itself when there is space',
    async (which) => {
      const dataDir = fileSystem(700);
      const cluster = join(dataDir, 'postgres');
      let full = cluster;
      if (which === 'of its log') {
        await (await openDatabase({ databaseUrl: undefined, dataDir })).close();
        full = fileSystem(400);
        cpSync(join(cluster, 'pg_wal'), full, { recursive: true, preserveTimestamps: true });
        const { uid, gid } = statSync(cluster);
        execFileSync('chown', ['-R', `${uid}:${gid}`, full]);
        execFileSync('chmod', ['0700', full]);
        rmSync(join(cluster, 'pg_wal'), { recursive: true });
        symlinkSync(full, join(cluster, 'pg_wal'));
      }
      const reserve = join(full, 'mesh-registry-reserve');
      const server = await startServerProcess({ DATA_DIR: dataDir });
      await until('there is a reserve', () => existsSync(reserve));
      const load = new Load(() => server.url);
      load.start();
      await until('every client has had answers', () => load.warm);

      const filler = fill(full);
      await until('the reserve was given up', () => statSync(reserve).size === 0);
      const refused = () => load.statuses.get(503) ?? 0;
      await until(
        'writes are refused',
        async () => refused() > 0 && (await storage(server)) === 'full',
      );
      const answer = await post(server.url, '/api/mesh/ping', { nodeId: 'node_x', lat: 1, lng: 2 });
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await answer.json()).toMatchObject({ ok: false, code: 'storage_full' });
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      const page = await (await fetch(`${server.url}/status`)).text();
      expect(page).toContain('The disk is full');
      expect(page).toContain('Nothing is lost: try again later.');
      expect(page).not.toContain('All systems operational');
      expect((await getJson<Mesh>(server.url, '/api/mesh')).peers.length).toBeGreaterThan(10);

      // PostgreSQL ends in the middle of something.
      await expect(writeWithoutLimit(dataDir)).rejects.toThrow();
      const stillRefused = await post(server.url, '/api/mesh/ping', {
        nodeId: 'node_x',
        lat: 1,
        lng: 2,
      });
      expect(await stillRefused.json()).toMatchObject({ code: 'storage_full' });

      rmSync(filler);
      const before = load.count;
      await until('writes are acknowledged again', () => load.count > before + 20);
      await load.stop();
      expect(await storage(server)).toBe('ok');
      expect(
        [...load.statuses.keys()].filter((status) => ![200, 201, 503].includes(status)),
      ).toEqual([]);
      await until('the reserve is back', () => statSync(reserve).size === RESERVE_BYTES);
      expect(await server.end('SIGTERM')).toBe(0);

      // A start on the full disk, too, gives up the reserve.
      const again = fill(full);
      const started = await startServerProcess({ DATA_DIR: dataDir });
      expect(await storage(started)).toBe('full');
      expect(statSync(reserve).size).toBe(0);
      rmSync(again);
      await until('there is space', async () => (await storage(started)) === 'ok');
      const opened = await openDatabase({ databaseUrl: undefined, dataDir }, { ownership: 'join' });
      const contents = await readAllAndClose(opened);
      expectNothingLost(contents, load);
      expectNothingHalf(contents);
      expect(await started.end('SIGTERM')).toBe(0);
    },
  );
});
