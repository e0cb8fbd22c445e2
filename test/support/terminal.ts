import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

/**
 * Commands in a real pseudo-terminal. Node cannot open one; `script` of util-linux can, and is on most machines with
 * Linux. Elsewhere tests that need one are left out.
 */
export const hasTerminal =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

/** `type` waits for a text after what was typed before, then types. @param command for a shell */
export function startInTerminal(
  command: string,
  env: Record<string, string>,
  { columns = 100, rows = 40 } = {},
) {
  const child = spawn(
    'script',
    ['-qefc', `stty cols ${columns} rows ${rows}; exec ${command}`, '/dev/null'],
    {
      env: { PATH: process.env['PATH'], TERM: 'xterm', ...env } as unknown as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let typedAt = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const closed = once(child, 'close') as Promise<[number | null]>;
  let over = false;
  void closed.then(() => (over = true));
  const shows = (text: string) =>
    until(`The terminal shows ${JSON.stringify(text)}`, () => {
      if (output.slice(typedAt).includes(text)) return true;
      if (over) throw new Error(`It ended without ${JSON.stringify(text)}: ${output}`);
      return false;
    });
  return {
    output: () => output,
    shows,
    async type(after: string, keys: string) {
      await shows(after);
      typedAt = output.length;
      child.stdin.write(keys);
    },
    ended: closed.then(([code]) => code),
  };
}
