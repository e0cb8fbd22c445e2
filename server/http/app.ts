import type { HttpBindings } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { AppError } from '#server/common/errors.schema.ts';
import type { Config } from '#server/config.ts';
import { errorResponse } from './error-response.ts';
import { createRemixHandler, type BuildSource } from './remix.ts';
import { createRequestContexts, type ServerContext } from './request-context.ts';
import { logRequest } from './request-log.ts';
import { isMountable, resourceRoutes, type Handler } from './resource-routes.ts';
import { mountClientFiles } from './static-files.ts';
import { handleTrpc, TRPC_BODY_BYTES, TRPC_PATH } from './trpc.ts';

type Env = { Bindings: HttpBindings };

export interface AppOptions extends ServerContext {
  config: Config;
  build: BuildSource;
  /** Where the browser's files are, or null where Vite serves them. */
  clientDirectory: string | null;
  /**
   * Mount resource routes directly on the HTTP server (default: true), instead of going through Remix's
   * router, which costs about 0.15 ms per request. Tests run both ways.
   */
  direct?: boolean;
}

/** Everything that answers HTTP, in the order in which it is tried. */
export function createApp(options: AppOptions): Hono<Env> {
  const { metrics, log, build } = options;
  const createContext = createRequestContexts(options);

  /** Answers, counts and logs. Makes no promise where the handler makes none: that keeps reads fast. */
  const serve =
    (route: string, handler: Handler) =>
    (c: Context<Env>): Response | Promise<Response> => {
      const startedAt = performance.now();
      const request = c.req.raw;
      const context = createContext(request, c.env.incoming.socket);
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
          ? response.then(finish, (error: unknown) => finish(errorResponse(context, error)))
          : finish(response);
      } catch (error) {
        return finish(errorResponse(context, error));
      }
    };

  // A trailing slash is ignored, as in Remix's router.
  const app = new Hono<Env>({ strict: false });

  const mounted =
    options.direct !== false && typeof build !== 'function'
      ? resourceRoutes(build).filter(isMountable)
      : [];
  const mount = (splat: boolean) => {
    for (const { path, handler } of mounted)
      if (path.endsWith('*') === splat) app.all(path, serve(path, handler));
  };
  mount(false);

  app.use(
    `${TRPC_PATH}/*`,
    bodyLimit({
      maxSize: TRPC_BODY_BYTES,
      onError: (c) => serve(TRPC_PATH, refuseLargeBody)(c as Context<Env>) as Response,
    }),
  );
  app.all(`${TRPC_PATH}/*`, serve(TRPC_PATH, handleTrpc));

  // The other paths below /api: Remix would answer some requests with a page (`.data`, other methods).
  mount(true);

  if (options.clientDirectory !== null) mountClientFiles(app, options.clientDirectory);

  app.notFound(serve('page', createRemixHandler(build)));
  return app;
}

const refuseLargeBody = (): never => {
  throw new AppError('payload_too_large', `The body is larger than ${TRPC_BODY_BYTES} bytes.`);
};
