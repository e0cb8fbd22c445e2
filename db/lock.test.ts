import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildSync } from 'esbuild';
import { openDatabase } from './client.ts';
import { DirectoryInUseError, lockDirectory } from './lock.ts';

let directory: string;
const lockFile = () => join(directory, 'mesh.lock');
const left = () => readdirSync(directory).filter((name) => name.startsWith('mesh.lock'));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mesh-lock-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** The lock as a program of its own: says what it got, and holds it until its input ends. */
const contender = (() => {
  let file: string | undefined;
  return () => {
    if (file) return file;
    file = join(mkdtempSync(join(tmpdir(), 'mesh-lock-program-')), 'contender.mjs');
    buildSync({
      stdin: {
        contents: `
          import { lockDirectory } from './lock.ts';
          // All at the same moment, so that they really race.
          const [, , directory, at] = process.argv;
          while (Date.now() < Number(at)) {}
          try {
            lockDirectory(directory);
            process.stdout.write('got it\\n');
            process.stdin.on('end', () => process.exit(0)).resume();
          } catch (error) {
            process.stdout.write(error.name + ' ' + error.pid + '\\n');
          }`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
        loader: 'js',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: file,
    });
    return file;
  };
})();

function start(at = 0) {
  const child = spawn(process.execPath, [contender(), directory, String(at)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  let said = '';
  const answer = new Promise<string>((resolve) =>
    child.stdout.on('data', (part: Buffer) => {
      said += part.toString();
      if (said.endsWith('\n')) resolve(said.trim());
    }),
  );
  return { pid: child.pid, answer, ended, child };
}

/** The id of a process that has been and is no more. */
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

describe('the lock of a data directory', () => {
  test('a second start fails at once, and names the process that has it', () => {
    const lock = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow(DirectoryInUseError);
    expect(() => lockDirectory(directory)).toThrow(String(process.pid));
    expect(() => lockDirectory(directory)).toThrow(directory);
    lock.release();
  });

  test('the same holds for another process, until the first one lets go', async () => {
    const first = start();
    expect(await first.answer).toBe('got it');
    const second = start();
    expect(await second.answer).toBe(`DirectoryInUseError ${first.pid}`);
    await second.ended;
    first.child.stdin.end();
    await first.ended;
    // It died without releasing: its lock is a dead owner's.
    lockDirectory(directory).release();
  });

  test('released, it can be taken again, and leaves nothing behind', () => {
    for (let n = 0; n < 3; n++) lockDirectory(directory).release();
    expect(left()).toEqual([]);
  });

  test('the directory is made if it is not there', () => {
    const deep = join(directory, 'a', 'b');
    lockDirectory(deep).release();
    expect(existsSync(deep)).toBe(true);
  });

  test("a dead owner's lock is taken over", () => {
    writeFileSync(lockFile(), JSON.stringify({ pid: deadPid(), started: '1' }));
    const lock = lockDirectory(directory);
    expect(JSON.parse(readFileSync(lockFile(), 'utf8'))).toMatchObject({ pid: process.pid });
    expect(() => lockDirectory(directory)).toThrow(String(process.pid));
    lock.release();
    expect(left()).toEqual([]);
  });

  test.runIf(process.platform === 'linux')(
    'a process that was given the pid of a dead owner is not the owner',
    () => {
      writeFileSync(lockFile(), JSON.stringify({ pid: process.ppid, started: '1' }));
      lockDirectory(directory).release();
    },
  );

  test('the lock of a process that was killed is taken over', async () => {
    const first = start();
    expect(await first.answer).toBe('got it');
    first.child.kill('SIGKILL');
    await first.ended;
    lockDirectory(directory).release();
  });

  test('a take-over that crashed in the middle holds nobody up for long', async () => {
    writeFileSync(lockFile(), JSON.stringify({ pid: deadPid(), started: '1' }));
    writeFileSync(`${lockFile()}.takeover`, JSON.stringify({ pid: deadPid(), started: '1' }));
    const deadline = Date.now() + 30_000;
    for (;;)
      try {
        lockDirectory(directory).release();
        break;
      } catch (error) {
        expect(error).toBeInstanceOf(DirectoryInUseError);
        expect(Date.now()).toBeLessThan(deadline);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    expect(left()).toEqual([]);
  });

  test('a take-over that takes long is not taken for one that crashed', () => {
    writeFileSync(lockFile(), JSON.stringify({ pid: deadPid(), started: '1' }));
    // By a process that lives, and was held up by its machine.
    const guard = `${lockFile()}.takeover`;
    writeFileSync(guard, JSON.stringify({ pid: process.pid, started: null }));
    const before = new Date(Date.now() - 60_000);
    utimesSync(guard, before, before);
    expect(() => lockDirectory(directory)).toThrow(DirectoryInUseError);
    expect(existsSync(guard)).toBe(true);
  });

  test.each(['{"pid":', '', 'null', '{}', '[]', '{"pid":"x"}'])(
    'a lock file that makes no sense (%s) neither crashes the start nor blocks it for ever',
    (content) => {
      writeFileSync(lockFile(), content);
      let outcome: unknown = 'locked';
      try {
        lockDirectory(directory).release();
      } catch (error) {
        outcome = error;
      }
      if (outcome !== 'locked') {
        expect(outcome).toBeInstanceOf(DirectoryInUseError);
        // Then a person has to be told what to do about it.
        expect((outcome as Error).message).toContain(directory);
      }
    },
  );

  test.each(['free', 'stale'])(
    'of ten processes that race for a %s lock exactly one wins',
    async (state) => {
      for (let round = 0; round < 3; round++) {
        if (state === 'stale')
          writeFileSync(lockFile(), JSON.stringify({ pid: deadPid(), started: '1' }));
        const racers = Array.from({ length: 10 }, () => start(Date.now() + 1500));
        const answers = await Promise.all(racers.map(({ answer }) => answer));
        const winners = racers.filter((_, at) => answers[at] === 'got it');
        expect(winners).toHaveLength(1);
        for (const answer of answers) expect(answer).toMatch(/^got it$|^DirectoryInUseError \d+$/);
        for (const { child } of racers) child.stdin.end();
        await Promise.all(racers.map(({ ended }) => ended));
        rmSync(lockFile(), { force: true });
        rmSync(`${lockFile()}.takeover`, { force: true });
      }
    },
  );

  test('a database that is open is closed to others, and open to them after it was closed', async () => {
    const config = { databaseUrl: undefined, dataDir: directory };
    const database = await openDatabase(config);
    await expect(openDatabase(config)).rejects.toThrow(DirectoryInUseError);
    // The one that was refused has not taken the lock away.
    await expect(openDatabase(config)).rejects.toThrow(String(process.pid));
    await database.close();
    const next = await openDatabase(config);
    await next.close();
    expect(left()).toEqual([]);
  });
});
