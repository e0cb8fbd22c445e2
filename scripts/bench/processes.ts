import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

export interface LoadOptions {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  connections: number;
  seconds: number;
  /** Requests per second, whatever the answers; as many as possible if left out. */
  rate?: number;
  /** A POST load sends the heartbeats of so many nodes, in random order. */
  peers: number;
}

export interface LoadResult {
  perSecond: number;
  /** Errors, timeouts and unexpected status codes. */
  bad: number;
  /** Milliseconds. At a given rate, from the moment at which the request was due. */
  p50: number;
  p99: number;
  /** How much of a core the generator took, 0 to 1: well below 1, or it was the limit. */
  busy: number;
}

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'load.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(options));
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`The load generator exited with ${child.exitCode}`);
  return JSON.parse(output) as LoadResult;
}

export interface ServerProcess {
  /** What the pattern captured. */
  printed: string;
  stop: () => Promise<void>;
}

/** Starts a Node program and resolves as soon as it prints a line that matches the pattern. */
export async function startServer(
  args: string[],
  pattern: RegExp,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, {
    // A directory without an .env.
    cwd: tmpdir(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The server exited with ${code}`)));
    createInterface(child.stdout).on('line', (line) => {
      const [, captured] = pattern.exec(line) ?? [];
      if (captured !== undefined) resolve(captured);
    });
  });
  return {
    printed,
    async stop() {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
