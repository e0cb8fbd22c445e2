import type { HttpBindings } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { createRequestHandler, type AppLoadContext, type ServerBuild } from '@remix-run/node';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from '#server/config.ts';
import type { RateLimits } from './rate-limits.ts';
import type { Answer } from '#server/live/index.ts';
import type { Metrics } from './metrics.ts';
import { refusedFormPage } from './refused-form.ts';
import { createRequestContexts, type RequestContext } from './request-context.ts';
import {
  AppError,
  ERROR_STATUS,
  errorBody,
  isAppError,
  toAppError,
} from '#server/common/errors.schema.ts';
import type { Services } from '#server/services.ts';
import { appRouter } from '#server/trpc/router.ts';
import { contextOfError } from '#server/trpc/init.ts';

type Env = { Bindings: HttpBindings };
type Handler = (request: Request, context: AppLoadContext) => Response | Promise<Response>;

export interface AppOptions {
  config: Config;
  services: Services;
  limits: RateLimits;
  metrics: Metrics;
  log: Logger;
  openapi: (origin: string) => Answer;
  /** The Remix server build; in development a function that gives the newest one. */
  build: ServerBuild | (() => Promise<ServerBuild>);
  /** Where the browser's files are, or null where Vite serves them. */
  clientDirectory: string | null;
  /**
   * Mount resource routes straight on the HTTP server (house default), instead of reaching them
   * through Remix's router, which costs some 0.15 ms a request. Tests run both ways.
   */
  direct?: boolean;
}

/** Largest body of a tRPC call, bytes. */
const TRPC_BODY_BYTES = 16 * 1024;

/** Everything that answers HTTP, in the order in which it is asked. */
export function createApp(options: AppOptions): Hono<Env> {
  const { metrics, log, build } = options;
  const contextOf = createRequestContexts(options);

  /** Answers, counts and logs. Stays free of promises where the handler is. */
  const serve =
    (route: string, handler: Handler) =>
    (c: Context<Env>): Response | Promise<Response> => {
      const startedAt = performance.now();
      const request = c.req.raw;
      const context = contextOf(request, c.env.incoming.socket);
      const finish = (response: Response): Response => {
        for (const cookie of context.cookies) response.headers.append('set-cookie', cookie);
        const ms = performance.now() - startedAt;
        metrics.request(route, request.method, response.status, ms / 1000);
        logRequest(log, context, { method: request.method, route, status: response.status, ms });
        return response;
      };
      try {
        const response = handler(request, context);
        return response instanceof Promise
          ? response.then(finish, (error: unknown) => finish(failed(context, error)))
          : finish(response);
      } catch (error) {
        return finish(failed(context, error));
      }
    };

  // `/api/mesh/` is `/api/mesh`, as in Remix's router.
  const app = new Hono<Env>({ strict: false });

  const mounted =
    options.direct !== false && typeof build !== 'function' ? resourceRoutes(build) : [];
  const mount = (splat: boolean) => {
    for (const { path, handler } of mounted)
      if (path.endsWith('*') === splat) app.all(path, serve(path, handler));
  };
  mount(false);

  app.use(
    '/api/trpc/*',
    bodyLimit({
      maxSize: TRPC_BODY_BYTES,
      onError: (c) =>
        serve('/api/trpc', () => {
          throw new AppError(
            'payload_too_large',
            `The body is larger than ${TRPC_BODY_BYTES} bytes.`,
          );
        })(c as Context<Env>) as Response,
    }),
  );
  app.all(
    '/api/trpc/*',
    serve('/api/trpc', (request, context) =>
      fetchRequestHandler({
        endpoint: '/api/trpc',
        req: request,
        router: appRouter,
        createContext: () => context,
        // One call, one answer: a batch would be a way around the limits.
        allowBatching: false,
        // Some errors are made into an answer before tRPC has asked for the context.
        onError: ({ error }) => void contextOfError.set(error, context),
        responseMeta({ errors: [error], type, paths }) {
          const headers = new Headers({
            'x-request-id': context.requestId,
            'cache-control': 'no-store',
          });
          // As with the public GETs: any page may read, and follow the streams. Not what reviewers see.
          if (type !== 'mutation' && !paths?.some((path) => path.startsWith('review.')))
            headers.set('access-control-allow-origin', '*');
          const retryAfter = isAppError(error?.cause) ? error.cause.retryAfter : undefined;
          if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
          return { headers };
        },
      }).then((response) => {
        // tRPC leaves the type out where it cannot make sense of a request.
        if (!response.headers.has('content-type'))
          response.headers.set('content-type', 'application/json');
        return response;
      }),
    ),
  );

  // What is left below /api: Remix would make a page's answer of some requests (`.data`, other methods).
  mount(true);

  if (options.clientDirectory !== null) mountClientFiles(app, options.clientDirectory);

  // The mode decides whether Remix tells a client the stack of an error.
  const remix = createRequestHandler(
    build,
    typeof build === 'function' ? 'development' : 'production',
  );
  app.notFound(
    serve('page', async (request, context) => {
      requireDecodable(request.url);
      context.nonce = randomBytes(16).toString('base64url');
      let own: Request;
      try {
        own = ownForm(request, context);
      } catch (error) {
        const newest = typeof build === 'function' ? await build() : build;
        return refuseForm(request, context, newest, error);
      }
      const response = await remix(own, context);
      // Pages say so themselves; what scripts ask of a page is as private.
      if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
      return compressed(request, response);
    }),
  );
  return app;
}

/** A module of the Remix build without a component and without a dynamic segment (a `*` at the end is Hono's too). */
export function resourceRoutes(build: ServerBuild): { path: string; handler: Handler }[] {
  const pathOf = (id: string | undefined): string => {
    const route = id === undefined ? undefined : build.routes[id];
    if (!route) return '';
    return `${pathOf(route.parentId)}${route.path ? `/${route.path}` : ''}`;
  };
  return Object.values(build.routes).flatMap((route) => {
    if (!route) return [];
    const path = pathOf(route.id);
    const { loader, action } = route.module;
    if ('default' in route.module || !loader || /:|\*./.test(path)) return [];
    const handler: Handler = (request, context) => {
      const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
      const run = reads || !action ? loader : action;
      return run({ request, params: {}, context }) as Response | Promise<Response>;
    };
    return [{ path, handler }];
  });
}

/** Remix prints a path that it cannot decode to the console, with whatever stands in it. */
function requireDecodable(url: string): void {
  try {
    decodeURIComponent(new URL(url).pathname);
  } catch {
    throw new AppError('not_found', 'There is nothing at this path.');
  }
}

/**
 * What takes no form: any program may ask, and is told which methods there are. By their whole paths, because
 * a page can have any ending: `/review/registrations/:note`.
 */
const FOR_PROGRAMS =
  /^\/(api(\/.*)?|healthz|readyz|metrics|computes\.csv|computes\.json|robots\.txt|sitemap\.xml|registry\/[^/]+\/badge\.svg|review\/history\.csv)$/;

/**
 * A form comes from a page of ours, or nothing of it reaches a page's action. Remix has a rule of its own,
 * which is not told: it compares Origin with Host and answers 500 where they differ, as they do behind a
 * proxy that names another host, and in every form that is sent without scripts by a page which lets no
 * Referer out (`Origin: null`).
 */
function ownForm(request: Request, { requireSameOrigin }: RequestContext): Request {
  if (['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return request;
  if (FOR_PROGRAMS.test(new URL(request.url).pathname)) return request;
  requireSameOrigin();
  const headers = new Headers(request.headers);
  headers.delete('origin');
  return new Request(request, { headers });
}

/** To a browser that waits for a page, a page; to scripts and programs the same answer as everywhere. */
function refuseForm(
  request: Request,
  context: RequestContext,
  build: ServerBuild,
  thrown: unknown,
): Response | Promise<Response> {
  const refused = failed(context, thrown);
  if (!/\btext\/html\b/.test(request.headers.get('accept') ?? '')) return refused;
  const { pathname, search } = new URL(request.url);
  return refusedFormPage(refused, build, {
    message: toAppError(thrown).message,
    href: `${context.origin()}${pathname}${search}`,
  });
}

/** What the build made: names with a hash are kept by browsers for good, the rest is asked for again. */
function mountClientFiles(app: Hono<Env>, directory: string): void {
  if (!existsSync(directory)) return;
  const files = serveStatic<Env>({
    root: directory,
    precompressed: true,
    onFound: (path, c) => {
      const hashed = path.includes('/assets/');
      c.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      c.header('x-content-type-options', 'nosniff');
    },
  });
  app.get('/assets/*', files);
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.isFile()) app.get(`/${entry.name}`, files);
}

/** A browser's page is worth compressing; an event stream must not be held back. */
function compressed(request: Request, response: Response): Response {
  const type = response.headers.get('content-type') ?? '';
  const accepts = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  if (!accepts || !response.body || response.headers.has('content-encoding')) return response;
  if (!type.startsWith('text/html') && !type.startsWith('text/x-script')) return response;
  const headers = new Headers(response.headers);
  headers.set('content-encoding', 'gzip');
  headers.append('vary', 'accept-encoding');
  headers.delete('content-length');
  return new Response(
    response.body.pipeThrough<Uint8Array<ArrayBuffer>>(new CompressionStream('gzip')),
    { status: response.status, headers },
  );
}

/** An error that no route turned into an answer. */
function failed(context: RequestContext, thrown: unknown): Response {
  const error = toAppError(thrown);
  context.error = error;
  return new Response(JSON.stringify(errorBody(error, context.requestId)), {
    status: ERROR_STATUS[error.code],
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': context.requestId,
      'cache-control': 'no-store',
    },
  });
}

/** Answers at debug, refusals at warn, our own mistakes at error with the stack. The route, never the URL. */
function logRequest(
  log: Logger,
  context: RequestContext,
  answer: { method: string; route: string; status: number; ms: number },
): void {
  const { requestId, error } = context;
  const line = { requestId, ...answer, ms: Math.round(answer.ms * 10) / 10 };
  if (!error) log.debug(line, 'request');
  else if (error.code === 'internal')
    log.error({ ...line, code: error.code, err: error.cause }, error.message);
  else log.warn({ ...line, code: error.code, err: error.cause }, 'refused');
}
