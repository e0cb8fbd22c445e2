import { startServerProcess, type ServerProcess } from '../../test/support/server-process.ts';

export interface RealServer {
  url: string;
  /** The link with which the first administrator creates an account, as the server printed it. */
  firstLink(): string;
  /** Ends the process like a crash (SIGKILL) or gracefully (SIGTERM). */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it again at the same address. */
  start(): Promise<void>;
}

/** The real server, as a process of its own on a free port that it keeps. `env` names its database. */
export async function startRealServer(
  env: Record<string, string> & { DATA_DIR: string },
): Promise<RealServer> {
  let running: ServerProcess | undefined;
  const server: RealServer = {
    url: '',
    firstLink: () => /http\S+\/review\/join\/\S+/.exec(running?.output() ?? '')?.[0] ?? '',
    async start() {
      // The first start takes any free port: one looked up in advance could be taken by now.
      const port = server.url === '' ? '0' : new URL(server.url).port;
      running = await startServerProcess({ PORT: port, RATE_LIMITS: 'on', ...env });
      server.url = running.url;
    },
    async kill(signal = 'SIGKILL') {
      await running?.end(signal);
    },
  };
  await server.start();
  return server;
}
