import { freePort } from '../../test/support/port.ts';
import type { TestServer } from '../../test/support/server.ts';
import { startServerProcess, type ServerProcess } from '../../test/support/server-process.ts';
import type { Data } from './database.ts';
import { test as base } from './test.ts';

/** A server that can be killed. Its services are out of reach: they are in another process. */
interface OwnProcess {
  url: string;
  /** The link with which the first administrator creates an account, as the server printed it. */
  firstLink(): string;
  /** Ends the process like a crash (SIGKILL) or gracefully (SIGTERM). */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it again at the same address. */
  start(): Promise<void>;
}

/** For tests that kill the server, or read what it prints: `server` is a process of its own. */
export const test = base.extend<{ server: TestServer & OwnProcess }>({
  server: async ({ data, env }, use) => {
    const server = await startOwnProcess({ ...env, ...data });
    await use(server as TestServer & OwnProcess);
    await server.kill();
  },
});

/** How often another port is tried when somebody else has taken it meanwhile. */
const PORTS = 5;

/** The built server on a free port that it keeps. `env` also selects its database. */
async function startOwnProcess(env: Record<string, string> & Data): Promise<OwnProcess> {
  let running: ServerProcess | undefined;
  const server: OwnProcess = {
    url: '',
    firstLink: () => /http\S+\/review\/join\/\S+/.exec(running?.output() ?? '')?.[0] ?? '',
    async start() {
      const startAt = (port: string) =>
        startServerProcess({ PORT: port, RATE_LIMITS: 'on', ...env });
      if (server.url !== '') {
        running = await startAt(new URL(server.url).port);
        return;
      }
      for (let left = PORTS; running === undefined; left -= 1)
        try {
          // Not any free port: while the server is down, no client and no other server must get it.
          running = await startAt(String(await freePort()));
        } catch (error) {
          if (left === 1 || !/port is already in use/.test(String(error))) throw error;
        }
      server.url = running.url;
    },
    async kill(signal = 'SIGKILL') {
      await running?.end(signal);
    },
  };
  await server.start();
  return server;
}
