import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Falls back to a replacement for curl on machines that have none. */
const PATH = `${process.env['PATH']}:${join(import.meta.dirname, 'bin')}`;

/** Runs a script that must succeed, and returns its output. */
export async function sh(script: string, env: Record<string, string> = {}): Promise<string> {
  const program = startProgram('sh', ['-euc', script], env);
  const code = await program.ended;
  expect(code, program.output()).toBe(0);
  return program.output();
}

export interface Program {
  /** Everything that it has printed so far. */
  output(): string;
  /** Its exit code; null if a signal ended it. */
  ended: Promise<number | null>;
  /** Kills it with all its children. */
  end(): Promise<void>;
}

export function startProgram(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Program {
  const child = spawn(command, args, {
    env: { ...process.env, PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group, so that its children can be killed too.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (output += part.toString()));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return {
    output: () => output,
    ended,
    async end() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}
