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
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildSync } from 'esbuild';
import { rounds } from '../../test/support/rounds.ts';
import { DirectoryInUseError, lockDirectory } from './lock.ts';
import { processStat } from './process-stat.ts';

let programs: string;
let directory: string;
const lockFile = () => join(directory, 'mesh.lock');
const ownerOfLock = () => (JSON.parse(readFileSync(lockFile(), 'utf8')) as { pid: number }).pid;
const lockFiles = () => readdirSync(directory).filter((name) => name.startsWith('mesh.lock'));
/** The lock as it is now: tests that are about something else do not wait for it. */
const lockNow = () => lockDirectory(directory, { waitMs: 0 });

beforeAll(() => {
  programs = mkdtempSync(join(tmpdir(), 'mesh-lock-program-'));
  buildSync({
    stdin: {
      contents: `
        import { lockDirectory } from './lock.ts';
        const [, , directory, when] = process.argv;
        if (when === 'told') {
          console.log('ready');
          const startAt = Number(await new Promise((resolve) => process.stdin.once('data', resolve)));
          process.stdin.destroy();
          // All at the same moment, so that they really race.
          while (Date.now() < startAt) {}
        }
        try {
          await lockDirectory(directory, { waitMs: 0 });
          console.log('locked ' + process.pid);
          process.on('message', () => undefined);
          setInterval(() => undefined, 60_000);
        } catch (error) {
          console.log(error.name + ' ' + error.pid);
        }`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'js',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: contender(),
  });
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mesh-lock-'));
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

/** A program that locks the directory, prints the outcome, and holds the lock until it is killed. */
const contender = () => join(programs, 'contender.mjs');
const children = new Set<ReturnType<typeof spawn>>();

function run(command: string, args: string[]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.add(child);
  const ended = new Promise<void>((resolve) =>
    child.on('exit', () => {
      children.delete(child);
      resolve();
    }),
  );
  const lines = createInterface({ input: child.stdout });
  /** The next line it prints. */
  const line = () => new Promise<string>((resolve) => lines.once('line', resolve));
  return { child, pid: child.pid ?? 0, line, outcome: line(), ended };
}

const contend = () => run(process.execPath, [contender(), directory]);

/** The pid of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;
const lockOfDeadOwner = () =>
  writeFileSync(lockFile(), JSON.stringify({ pid: deadPid(), started: '1' }));

describe('the lock of a data directory', () => {
  test('is refused to a second start, with the directory and the process that holds it', async () => {
    const lock = await lockNow();
    await expect(lockNow()).rejects.toThrow(DirectoryInUseError);
    await expect(lockNow()).rejects.toThrow(String(process.pid));
    await expect(lockNow()).rejects.toThrow(directory);
    lock.release();
  });

  test('is refused to another process until its owner has ended', async () => {
    const first = contend();
    expect(await first.outcome).toBe(`locked ${first.pid}`);
    const second = contend();
    expect(await second.outcome).toBe(`DirectoryInUseError ${first.pid}`);
    await second.ended;
    first.child.kill('SIGKILL');
    await first.ended;
    const lock = await lockNow();
    expect(ownerOfLock()).toBe(process.pid);
    lock.release();
  });

  test('can be taken again after it was released, and leaves nothing behind', async () => {
    for (let n = 0; n < 3; n++) (await lockNow()).release();
    expect(lockFiles()).toEqual([]);
  });

  test('creates a missing directory', async () => {
    const deep = join(directory, 'a', 'b');
    (await lockDirectory(deep)).release();
    expect(existsSync(deep)).toBe(true);
  });

  test('is taken over from a dead owner', async () => {
    lockOfDeadOwner();
    const lock = await lockNow();
    expect(ownerOfLock()).toBe(process.pid);
    await expect(lockNow()).rejects.toThrow(String(process.pid));
    lock.release();
    expect(lockFiles()).toEqual([]);
  });

  describe.runIf(process.platform === 'linux')('knows dead owners by /proc', () => {
    test('whose pid another process has now', async () => {
      writeFileSync(lockFile(), JSON.stringify({ pid: process.ppid, started: '1' }));
      const lock = await lockNow();
      expect(ownerOfLock()).toBe(process.pid);
      lock.release();
    });

    test('but not one that runs', async () => {
      const started = processStat(process.ppid)?.started;
      writeFileSync(lockFile(), JSON.stringify({ pid: process.ppid, started }));
      await expect(lockNow()).rejects.toThrow(`process ${process.ppid}`);
    });

    test('that were killed, though their parent has not collected them', async () => {
      // The shell becomes a program that never waits for its child.
      const parent = run('/bin/sh', [
        '-c',
        '"$0" "$1" "$2" & exec sleep 60',
        process.execPath,
        contender(),
        directory,
      ]);
      const owner = Number(/^locked (\d+)$/.exec(await parent.outcome)?.[1]);
      await expect(lockNow()).rejects.toThrow(String(owner));
      process.kill(owner, 'SIGKILL');
      await expect.poll(() => readFileSync(`/proc/${owner}/stat`, 'utf8')).toMatch(/\) Z /);
      (await lockNow()).release();
    });
  });

  test('is waited for while its owner shuts down', async () => {
    const first = contend();
    await first.outcome;
    let killed = false;
    setTimeout(() => (killed = first.child.kill('SIGTERM')), 150);
    const lock = await lockDirectory(directory, { waitMs: 60_000 });
    expect([killed, ownerOfLock()]).toEqual([true, process.pid]);
    lock.release();
  });

  test('is given up after 3 s when its owner stays', async () => {
    const lock = await lockNow();
    const startedAt = performance.now();
    await expect(lockDirectory(directory)).rejects.toThrow(String(process.pid));
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThanOrEqual(3000);
    expect(tookMs).toBeLessThan(30_000);
    lock.release();
    expect(lockFiles()).toEqual([]);
  });

  test('does not wait long for a takeover that a crash cut short', async () => {
    lockOfDeadOwner();
    writeFileSync(`${lockFile()}.takeover`, JSON.stringify({ pid: deadPid(), started: '1' }));
    const almost = new Date(Date.now() - 1900);
    utimesSync(`${lockFile()}.takeover`, almost, almost);
    await expect(lockNow()).rejects.toThrow(DirectoryInUseError);
    (await lockDirectory(directory)).release();
    expect(lockFiles()).toEqual([]);
  });

  test('waits for a takeover that is only slow', async () => {
    lockOfDeadOwner();
    // Its process still runs: the machine paused it.
    const guard = `${lockFile()}.takeover`;
    writeFileSync(guard, JSON.stringify({ pid: process.pid, started: null }));
    const before = new Date(Date.now() - 60_000);
    utimesSync(guard, before, before);
    await expect(lockNow()).rejects.toThrow(DirectoryInUseError);
    expect(existsSync(guard)).toBe(true);
  });

  test.each(['{"pid":', '', 'null', '{}', '[]', '{"pid":"x"}', '{"pid":0}', '{"pid":-1}'])(
    'is taken over from a file that names no process, as a power cut may leave it: %s',
    async (content) => {
      writeFileSync(lockFile(), content);
      (await lockNow()).release();
      expect(lockFiles()).toEqual([]);
    },
  );

  test.each(['free', 'stale'])(
    'goes to exactly one of ten processes that race for it when it is %s',
    async (state) => {
      for (let round = 0; round < rounds(1); round++) {
        if (state === 'stale') lockOfDeadOwner();
        const racers = Array.from({ length: 10 }, () =>
          run(process.execPath, [contender(), directory, 'told']),
        );
        for (const { outcome } of racers) expect(await outcome).toBe('ready');
        const startAt = Date.now() + 30;
        const outcomes = await Promise.all(
          racers.map(({ child, line }) => {
            child.stdin.write(`${startAt}\n`);
            return line();
          }),
        );
        expect(outcomes.filter((outcome) => outcome.startsWith('locked'))).toHaveLength(1);
        for (const outcome of outcomes)
          expect(outcome).toMatch(/^locked \d+$|^DirectoryInUseError \d+$/);
        for (const { child } of racers) child.kill('SIGKILL');
        await Promise.all(racers.map(({ ended }) => ended));
        rmSync(lockFile(), { force: true });
        rmSync(`${lockFile()}.takeover`, { force: true });
      }
    },
  );
});
