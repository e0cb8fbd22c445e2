import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
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

/** The real server, as a process of its own on a free port. `env` names its database. */
export async function startRealServer(
  env: Record<string, string> & { DATA_DIR: string },
): Promise<RealServer> {
  // A port of its own from the start, so that it can come back to the same address.
  const port = await freePort();
  let child: ChildProcess | undefined;
  let printed = '';
  const server: RealServer = {
    url: `http://127.0.0.1:${port}`,
    firstLink: () => /http\S+\/review\/join\/\S+/.exec(printed)?.[0] ?? '',
    async start() {
      ({ child, printed } = await launch({ PORT: String(port), ...env }));
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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
