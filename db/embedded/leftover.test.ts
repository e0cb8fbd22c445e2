import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { isServerOf } from './leftover.ts';

/** A process under the name of a program, with a directory among its arguments. @returns its id */
function processOf(program: string, directory: string): number {
  const script = 'setInterval(() => undefined, 1000)';
  const child = spawn(process.execPath, ['-e', script, directory], { argv0: program });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? 0;
}

test('a process is the server of a cluster by its program, its directory and its start', () => {
  const [own, other] = [temporaryDirectory(), temporaryDirectory()];
  onTestFinished(own.remove);
  onTestFinished(other.remove);
  const pid = processOf('/opt/postgresql/bin/postgres', own.path);
  const file = { pid, startedAt: Date.now() / 1000, port: 5432, address: '', status: 'ready' };
  expect(isServerOf(own.path, file)).toBe(true);
  // Another cluster's server, whose process has got the id since.
  expect(isServerOf(other.path, file)).toBe(false);
  expect(isServerOf(own.path, { ...file, startedAt: file.startedAt - 600 })).toBe(false);
  const editor = processOf('/usr/bin/vim', own.path);
  expect(isServerOf(own.path, { ...file, pid: editor })).toBe(false);
  // Above every process id that a system gives.
  expect(isServerOf(own.path, { ...file, pid: 2 ** 22 + 1 })).toBe(false);
});
