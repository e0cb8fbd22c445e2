import type { ServerBuild } from '@remix-run/node';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseConfig } from '#server/config.ts';
import type { PasswordHashing } from '#server/accounts/index.ts';
import type { CheckTimes } from '#server/genesis/index.ts';
import type { Limits } from '#server/http/rate-limits.ts';
import { createLog } from '#server/log.ts';
import { startServer, type RunningServer } from '#server/server.ts';
import { createServerDatabase } from './databases.ts';
import { quickPasswords } from './quick-passwords.ts';

const buildDirectory = join(import.meta.dirname, '..', '..', 'build');

/** Of every server, so that those on one database understand each other's sessions, and none stores a key of its own. */
export const AUTH_SECRET = 'the-secret-of-all-servers-of-the-tests';

export interface TestServer extends RunningServer {
  /** fetch() of a path of this server. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** POSTs JSON. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
  /** Everything logged so far, as written. */
  log(): string;
}

/**
 * Starts the real server in this process, on a free port, with a database of its own.
 * @param options.direct false: REST paths go through Remix's router
 * @param options.env the configuration, as environment variables; DATABASE_URL or DATA_DIR selects another database
 * @param options.clock milliseconds since 1970, for example that of a FakeClock
 * @param options.localClock a clock of the machine that differs from the database's
 * @param options.largeListRows from how many rows on lists count as large
 * @param options.loopbackReceivers holders may be notified on this machine
 * @param options.genesisCheck more often than every 10 s
 * @param options.limits rate limits that are reached sooner
 * @param options.passwordHashing null: as in production, at 0.2 s of CPU for each password
 */
export async function startTestServer(
  options: {
    direct?: boolean;
    env?: Record<string, string>;
    clock?: () => number;
    localClock?: () => number;
    genesisCheck?: CheckTimes;
    largeListRows?: number;
    loopbackReceivers?: boolean;
    limits?: Partial<Limits>;
    passwordHashing?: PasswordHashing | null;
  } = {},
): Promise<TestServer> {
  const own =
    options.env?.['DATABASE_URL'] !== undefined || options.env?.['DATA_DIR'] !== undefined
      ? null
      : await createServerDatabase();
  const config = parseConfig({
    PORT: '0',
    LOG_LEVEL: 'debug',
    AUTH_SECRET,
    ...own?.env,
    ...options.env,
  });
  const build = (await import(
    pathToFileURL(join(buildDirectory, 'server', 'index.js')).href
  )) as ServerBuild;
  let logged = '';
  const { passwordHashing = quickPasswords } = options;
  const log = createLog(config.logLevel, { write: (line) => void (logged += line) });
  const server = await startServer({
    config,
    log,
    build,
    clientDirectory: join(buildDirectory, 'client'),
    direct: options.direct ?? true,
    ...(options.clock && { clock: options.clock }),
    ...(options.localClock && { localClock: options.localClock }),
    ...(options.genesisCheck && { genesisCheck: options.genesisCheck }),
    ...(options.largeListRows !== undefined && { largeListRows: options.largeListRows }),
    ...(options.loopbackReceivers && { loopbackReceivers: true }),
    ...(options.limits && { limits: options.limits }),
    ...(passwordHashing && { passwordHashing }),
  }).catch(async (error: unknown) => {
    await own?.drop();
    throw error;
  });
  return {
    ...server,
    get: (path, init) => fetch(`${server.url}${path}`, init),
    post: (path, body, init) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        ...init,
        headers: {
          'content-type': 'application/json',
          ...(init?.headers as Record<string, string>),
        },
      }),
    log: () => logged,
    async stop() {
      await server.stop();
      await own?.drop();
    },
  };
}
