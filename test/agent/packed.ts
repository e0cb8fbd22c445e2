import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sh } from '../support/shell.ts';
import { until } from '../support/until.ts';
import { buildAgent } from './agent-process.ts';

/** Packs the agent and installs it into an empty folder, without a network. @returns its command */
export async function installPacked(folder: string): Promise<string> {
  await buildAgent(join(folder, 'package'));
  await sh(`
    cd '${folder}'
    npm pack --silent ./package > /dev/null
    echo '{ "private": true }' > package.json
    npm install --offline --silent --no-audit --no-fund ./mesh-agent-*.tgz
  `);
  return join(folder, 'node_modules', '.bin', 'mesh-agent');
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningAgent {
  pid: number;
  stdout: () => string;
  /** Resolves once its output has this. */
  said(text: string): Promise<void>;
  /** Sends a signal. */
  signal(name: NodeJS.Signals): void;
  ended: Promise<Ended>;
}

/** Runs the command as an operator would, with nothing of this process's environment but the path. */
export function startAgent(
  command: string,
  args: string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): RunningAgent {
  const child = spawn(command, args, {
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      ...env,
    } as unknown as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Whatever a failed test leaves behind.
  onTestFinished(() => void child.kill('SIGKILL'));
  // A program that does not read it may have ended before.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    stdout,
    stderr,
  }));
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    async said(text) {
      let over = false;
      void ended.then(() => (over = true));
      await until(`It says ${JSON.stringify(text)}`, () => {
        if (stdout.includes(text)) return true;
        if (over) throw new Error(`It ended without ${JSON.stringify(text)}: ${stdout}${stderr}`);
        return false;
      });
    },
    signal: (name) => void child.kill(name),
    ended,
  };
}

/** Runs a command to its end. */
export const runAgent = (
  command: string,
  args: string[],
  options?: { env?: Record<string, string>; input?: string },
): Promise<Ended> => startAgent(command, args, options).ended;
