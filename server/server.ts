import type { ServerBuild } from '@remix-run/node';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, type OpenOptions } from '#db/client.ts';
import {
  createHttpServer,
  defaultMaxConnections,
  type HttpServerOptions,
} from '#server/http/http-server.ts';
import { createApp } from '#server/entry/app.ts';
import { createMetrics } from '#server/entry/metrics.ts';
import { createOpenApi } from '#server/entry/openapi/document.ts';
import { prepareFiles } from '#server/entry/prepared-files.ts';
import { createRateLimits, LIMITS, type Limits } from '#server/entry/rate-limits.ts';
import type { RenderLimits } from '#server/entry/remix/render-queue.ts';
import { createServices, type Services, type ServicesOptions } from './services.ts';

export type RunningServer = Awaited<ReturnType<typeof startServer>>;

export interface ServerOptions extends Omit<ServicesOptions, 'database'> {
  build: ServerBuild | (() => Promise<ServerBuild>);
  clientDirectory: string | null;
  direct?: boolean;
  /** How the embedded database is opened, if there is one. */
  embedded?: Pick<OpenOptions, 'ownership' | 'passing'>;
  /** Tests reach some rate limits sooner. */
  limits?: Partial<Limits>;
  /** Tests reach the limits of connections sooner. */
  connectionLimits?: HttpServerOptions['limits'];
  /** Tests reach some limits of rendering sooner. */
  rendering?: RenderLimits;
  /** Wraps the listener and passes on what it does not answer itself: Vite, in development. */
  before?: (next: RequestListener) => RequestListener;
}

/** Slow requests of one client at a time: more than a house full of nodes on a bad line has. */
const UNFINISHED_PER_CLIENT = 64;

/** Configuration → database → migrations → services → HTTP. */
export async function startServer(options: ServerOptions) {
  const { config, log } = options;
  const maxConnections = config.maxConnections ?? defaultMaxConnections();
  const metrics = createMetrics();
  const database = await openDatabase(config, { log, ...options.embedded });
  let services: Services;
  try {
    services = await createServices({ ...options, database });
  } catch (error) {
    await database.close();
    throw error;
  }
  const limits = createRateLimits(config, services.nodes.isKnown, {
    ...LIMITS,
    ...options.limits,
  });
  metrics.observe(services, limits);
  if (config.production && config.publicUrl === undefined)
    log.warn(
      'PUBLIC_URL is not set: signed claims, removals, rotations and proofs are refused, because this service does not know which address they have to name',
    );
  if (!config.rateLimits) log.warn('RATE_LIMITS is off: clients can write without limits');

  const app = createApp({
    ...options,
    services,
    metrics,
    limits,
    openapi: createOpenApi(config),
  });
  const http = createHttpServer(app, {
    before: options.before,
    limits: {
      max: maxConnections,
      // Behind a proxy all requests come from its address: the proxy has limits for its own clients.
      ...(config.rateLimits &&
        config.trustProxy === 0 && { unfinishedPerClient: UNFINISHED_PER_CLIENT }),
      ...options.connectionLimits,
    },
  });
  try {
    const url = await http.listen(config.port, config.host);
    // Genesis may be this very server: it listens before it is checked.
    services.start();
    const endPreparing = prepareFiles(services, options.build);
    let stopping: Promise<void> | undefined;
    return {
      /** For a client on this machine. */
      url,
      services,
      database,
      /**
       * Answers requests in flight, commits accepted writes, closes the database.
       * @param drainMs how long it goes on accepting requests first, milliseconds, while /readyz tells load balancers
       */
      stop: (drainMs = 0): Promise<void> =>
        (stopping ??= (async () => {
          services.health.stop();
          http.drain();
          if (drainMs > 0) await sleep(drainMs);
          const closed = http.close();
          services.closeStreams();
          await closed;
          await endPreparing();
          await services.stop();
          await database.close();
        })()),
    };
  } catch (error) {
    await services.stop();
    await database.close();
    throw error;
  }
}
