import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InUseError, listenExclusively } from './exclusive-socket.ts';

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'mesh-agent-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const listen = (file: string, answer = 'here') =>
  listenExclusively(file, (socket) => void socket.end(answer));

/** Leaves a socket behind, as a killed process does. */
async function leaveSocket(file: string): Promise<void> {
  const child = spawn(process.execPath, [
    '-e',
    `require('net').createServer().listen(${JSON.stringify(file)}, () => process.kill(process.pid, 'SIGKILL'))`,
  ]);
  await once(child, 'exit');
  expect(statSync(file).isSocket()).toBe(true);
}

describe('an exclusive socket', () => {
  it('answers its owner alone, and is gone once closed', async () => {
    const path = folder();
    const file = join(path, 'run', 'agent.sock');
    const socket = await listen(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await text(connect(file))).toBe('here');
    socket.close();
    expect(readdirSync(join(path, 'run'))).toEqual([]);
  });

  it('has one owner at a time', async () => {
    const file = join(folder(), 'agent.sock');
    const first = await listen(file, 'first');
    await expect(listen(file, 'second')).rejects.toBeInstanceOf(InUseError);
    expect(await text(connect(file))).toBe('first');
    first.close();
    (await listen(file)).close();
  });

  it('of a dead process is taken over by exactly one of many that try', async () => {
    const path = folder();
    for (let round = 0; round < 5; round++) {
      const file = join(path, `${round}.sock`);
      await leaveSocket(file);
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => listen(file)));
      const won = tries.filter(({ status }) => status === 'fulfilled');
      expect(won).toHaveLength(1);
      for (const lost of tries)
        if (lost.status === 'rejected') expect(lost.reason).toBeInstanceOf(InUseError);
      expect(await text(connect(file))).toBe('here');
      for (const one of tries) if (one.status === 'fulfilled') one.value.close();
      expect(readdirSync(path)).toEqual([]);
    }
  });

  it('takes the place of a file that is no socket', async () => {
    const file = join(folder(), 'agent.sock');
    writeFileSync(file, 'left by something else');
    const socket = await listen(file);
    expect(statSync(file).isSocket()).toBe(true);
    expect(await text(connect(file))).toBe('here');
    socket.close();
  });

  it('says when its path is too long for the system', async () => {
    await expect(listen(join(folder(), 'x'.repeat(90)))).rejects.toThrow('--state');
  });
});
