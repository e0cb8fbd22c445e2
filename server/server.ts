import { getRequestListener } from '@hono/node-server';
import type { ServerBuild } from '@remix-run/node';
import { createServer, ServerResponse, type RequestListener, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { openDatabase, type Database } from '../db/client.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { createGuard } from './guard.ts';
import { createMetrics } from './metrics.ts';
import { createOpenApi } from './openapi.ts';
import { createServices, type Services } from './services/index.ts';

export interface RunningServer {
  /** Where it listens, for a client on this machine. */
  url: string;
  services: Services;
  database: Database;
  /** Answers what is in flight, commits what waits, closes the database. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  config: Config;
  log: Logger;
  build: ServerBuild | (() => Promise<ServerBuild>);
  clientDirectory: string | null;
  direct?: boolean;
  /** Milliseconds since 1970; tests hand in their own. */
  clock?: () => number;
  /** Asked before anything else answers, and calls the listener for what is not its own: Vite, in development. */
  before?: (next: RequestListener) => RequestListener;
}

/** A client gets 10 s for its headers and 20 s for all of a request (ms); bodies are 64 KiB at most. */
const HTTP_LIMITS = { headersTimeout: 10_000, requestTimeout: 20_000, keepAliveTimeout: 75_000 };
/** When the server stops, a connection that is idle for so long is closed (ms). */
const STOP_GRACE_MS = 300;
/** Requests in flight get this long when the server stops (ms). */
const STOP_LIMIT_MS = 10_000;

/** Configuration → database → migrations → services → HTTP. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, log } = options;
  const metrics = createMetrics();
  const database = await openDatabase(config);
  let services: Services;
  try {
    services = await createServices({
      config,
      database,
      log,
      onGroup: (writer, size) => metrics.group(writer, size),
      ...(options.clock && { clock: options.clock }),
    });
  } catch (error) {
    await database.close();
    throw error;
  }
  metrics.observe(services);
  if (!config.rateLimits)
    log.warn('RATE_LIMITS is off: nothing limits how often a client may write');

  const app = createApp({
    ...options,
    services,
    metrics,
    guard: createGuard(config),
    openapi: createOpenApi(config),
  });
  const listener = getRequestListener(app.fetch) as RequestListener;
  let stopping: Promise<void> | undefined;
  /** While the server stops, each answer tells its client not to keep the connection. */
  class Response extends ServerResponse {
    override writeHead(...head: unknown[]): this {
      if (stopping) this.shouldKeepAlive = false;
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>));
    }
  }
  const server = createServer(
    { ...HTTP_LIMITS, ServerResponse: Response },
    options.before?.(listener) ?? listener,
  );
  try {
    await listen(server, config);
    // Only now: Genesis may be this very server.
    services.start();
  } catch (error) {
    await services.stop();
    await database.close();
    throw error;
  }

  return {
    url: localUrl(server.address() as AddressInfo),
    services,
    database,
    stop: () =>
      (stopping ??= (async () => {
        // Of net, not of http: that one closes idle connections at once, also those on which a request
        // is on its way, and the client gets no answer.
        const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
        services.endStreams();
        let idle: NodeJS.Timeout | undefined;
        const grace = setTimeout(() => {
          // After the requests that wait in the sockets were read: their connections are not idle.
          const closeIdle = () => setImmediate(() => server.closeIdleConnections());
          idle = setInterval(closeIdle, 50);
        }, STOP_GRACE_MS);
        const limit = setTimeout(() => server.closeAllConnections(), STOP_LIMIT_MS);
        await closed;
        clearTimeout(grace);
        clearInterval(idle);
        clearTimeout(limit);
        await services.stop();
        await database.close();
      })()),
  };
}

function listen(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function localUrl({ address, port, family }: AddressInfo): string {
  const unspecified = address === '0.0.0.0' || address === '::';
  const host = unspecified ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
