import type { ServerBuild } from '@remix-run/node';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseConfig } from '#server/config.ts';
import type { PasswordHashing } from '#server/accounts/index.ts';
import { createLog } from '#server/log.ts';
import { RENDERING } from '#server/entry/remix/render-queue.ts';
import { startServer, type RunningServer, type ServerOptions } from '#server/server.ts';
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

export interface TestServerOptions extends Omit<
  ServerOptions,
  'config' | 'log' | 'build' | 'clientDirectory' | 'embedded' | 'before' | 'passwordHashing'
> {
  /** The configuration, as environment variables; DATABASE_URL or DATA_DIR selects another database. */
  env?: Record<string, string>;
  /** Null: as in production, at 0.2 s of CPU for each password. */
  passwordHashing?: PasswordHashing | null;
}

/** Starts the real server in this process, on a free port, with a database of its own. */
export async function startTestServer({
  env = {},
  passwordHashing = quickPasswords,
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  const own =
    env['DATABASE_URL'] !== undefined || env['DATA_DIR'] !== undefined
      ? null
      : await createServerDatabase();
  const config = parseConfig({
    PORT: '0',
    LOG_LEVEL: 'debug',
    AUTH_SECRET,
    ...own?.env,
    ...env,
  });
  const build = (await import(
    pathToFileURL(join(buildDirectory, 'server', 'index.js')).href
  )) as ServerBuild;
  let logged = '';
  const log = createLog(config.logLevel, { write: (line) => void (logged += line) });
  const server = await startServer({
    direct: true,
    // Tests look at one page after the other, as soon as something has changed.
    rendering: { ...RENDERING, rest: 0, ownPages: Infinity },
    ...options,
    config,
    log,
    build,
    clientDirectory: join(buildDirectory, 'client'),
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
