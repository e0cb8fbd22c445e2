import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const main = join(import.meta.dirname, '..', '..', 'build', 'main.js');
/** A start that takes longer than this has failed (ms). */
const START_LIMIT_MS = 60_000;

export interface RealServer {
  url: string;
  /** The link by which the first administrator opens their account, as the start printed it. */
  firstLink(): string;
  /** Ends the process as a crash would (SIGKILL), or in good order (SIGTERM). */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
}

/** The real server, as a process of its own on a free port, which it keeps. `env` names its database. */
export async function startRealServer(
  env: Record<string, string> & { DATA_DIR: string },
): Promise<RealServer> {
  let child: ChildProcess | undefined;
  let printed = '';
  const server: RealServer = {
    url: '',
    firstLink: () => /http\S+\/review\/join\/\S+/.exec(printed)?.[0] ?? '',
    async start() {
      // The first start takes any port: one that was looked for before could be another's by now.
      const port = server.url === '' ? '0' : new URL(server.url).port;
      ({ child, printed } = await launch({ PORT: port, ...env }));
      server.url = /^\s*Map\s+(http\S+)\/$/m.exec(printed)?.[1] ?? '';
    },
    async kill(signal = 'SIGKILL') {
      const dying = child;
      child = undefined;
      if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
      const exited = once(dying, 'exit');
      dying.kill(signal);
      await exited;
    },
  };
  await server.start();
  return server;
}

/** Resolves once the process has printed where it listens. */
async function launch(
  env: Record<string, string>,
): Promise<{ child: ChildProcess; printed: string }> {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, NODE_ENV: 'test', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => {
      child.kill('SIGKILL');
      reject(new Error(`The server ${why}.\n${output}`));
    };
    const limit = setTimeout(() => fail('did not start in time'), START_LIMIT_MS);
    child.once('exit', (code) => fail(`ended with ${code} before it listened`));
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`;
      if (!/^\s*Map\s+http/.test(line)) return;
      clearTimeout(limit);
      child.removeAllListeners('exit');
      resolve();
    });
  });
  return { child, printed: output };
}
