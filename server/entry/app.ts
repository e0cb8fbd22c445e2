import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestListener } from 'node:http';
import { AppError } from '#server/common/errors.schema.ts';
import type { Config } from '#server/config.ts';
import {
  notFoundReply,
  replyTo,
  respond,
  toResponse,
  type Endpoint,
  type Params,
  type Reply,
} from './rest/engine.ts';
import { createFastPath } from './rest/fast-path.ts';
import { createRemixHandler, type BuildSource } from './remix/pages.ts';
import { createRequestContexts, errorResponse, sourceOf, type RequestContext } from './context.ts';
import type { ServerContext } from './procedure-context.ts';
import { logRequest } from './request-log.ts';
import { createSpellingTest } from './path-spelling.ts';
import { resourceRoutes } from './rest/resource-routes.ts';
import { mountClientFiles } from '#server/http/static-files.ts';
import { handleTrpc, TRPC_BODY_BYTES, TRPC_PATH } from './trpc/handler.ts';

type Env = { Bindings: HttpBindings };

type Handler = (
  request: Request,
  context: RequestContext,
  params: Params,
) => Response | Promise<Response>;

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
export function createApp(options: AppOptions): RequestListener {
  const { metrics, log, build } = options;
  const createContext = createRequestContexts(options);

  const answered = (
    route: string,
    method: string,
    status: number,
    context: RequestContext,
    startedAt: number,
  ) => {
    const ms = performance.now() - startedAt;
    metrics.request(route, method, status, ms / 1000);
    logRequest(log, context, { method, route, status, ms });
  };

  /** Answers, counts and logs. Makes no promise where the handler makes none: that keeps reads fast. */
  const answer = (
    route: string,
    handler: Handler,
    request: Request,
    { incoming }: HttpBindings,
    params: Params = {},
  ): Response | Promise<Response> => {
    const startedAt = performance.now();
    const context = createContext(sourceOf(request), incoming.socket);
    const finish = (response: Response): Response => {
      for (const cookie of context.cookies) response.headers.append('set-cookie', cookie);
      answered(route, request.method, response.status, context, startedAt);
      return response;
    };
    try {
      const response = handler(request, context, params);
      return response instanceof Promise
        ? response.then(finish, (error: unknown) => finish(errorResponse(context, error)))
        : finish(response);
    } catch (error) {
      return finish(errorResponse(context, error));
    }
  };
  const serve = (route: string, handler: Handler) => (c: Context<Env>) =>
    answer(route, handler, c.req.raw, c.env, c.req.param());

  // A trailing slash is ignored, as in Remix's router.
  const app = new Hono<Env>({ strict: false });

  // In development the routes change while the server runs: they are all Remix's.
  const resources = typeof build === 'function' ? [] : resourceRoutes(build);
  const mounted = options.direct === false ? [] : resources;
  const handlerOf =
    (endpoint: Endpoint): Handler =>
    (request, context, params) =>
      respond(endpoint, request, context, params);
  for (const { path, endpoint } of mounted)
    if (!path.endsWith('*')) app.all(path, serve(path, handlerOf(endpoint)));

  app.use(
    `${TRPC_PATH}/*`,
    bodyLimit({
      maxSize: TRPC_BODY_BYTES,
      onError: (c) => serve(TRPC_PATH, refuseLargeBody)(c as Context<Env>) as Response,
    }),
  );
  app.all(`${TRPC_PATH}/*`, (c) =>
    answer(
      TRPC_PATH,
      (request, context) => handleTrpc(request, context, c.env.outgoing),
      c.req.raw,
      c.env,
    ),
  );

  if (options.clientDirectory !== null) mountClientFiles(app, options.clientDirectory);

  // As a mounted route it would match every path below /api a second time, and Hono then makes a promise for each answer.
  const otherApiPaths = mounted.find(({ path }) => path === '/api/*');
  const serveOther = otherApiPaths && serve('/api/*', handlerOf(otherApiPaths.endpoint));
  const servePage = serve('page', createRemixHandler(build));
  app.notFound((c: Context<Env>) =>
    // Remix would answer some requests with a page (`.data`, other methods).
    serveOther && /^\/api(?:\/|$)/.test(c.req.path) ? serveOther(c) : servePage(c),
  );
  if (typeof build === 'function') return listenerOf(app.fetch);

  const spellingOf = createSpellingTest(build);
  // Not a middleware of Hono, which would make a promise for every answer.
  const listener = listenerOf((request, bindings) => {
    const spelling = spellingOf(bindings.incoming.url ?? '/', () => request.url);
    if (spelling === 'right') return app.fetch(request, bindings);
    const moved = spelling !== 'unknown' && ['GET', 'HEAD'].includes(request.method);
    const handler: Handler = moved
      ? (_, { requestId }) => movedTo(spelling.href, requestId)
      : nothingHere;
    return answer('other spelling', handler, request, bindings);
  });

  const findEndpoint = createFastPath(mounted);
  return (incoming, outgoing) => {
    const found = findEndpoint(incoming);
    if (!found) return listener(incoming, outgoing);
    const startedAt = performance.now();
    const { path, endpoint, request } = found;
    const context = createContext(request, incoming.socket);
    const send = ({ status, headers, body }: Reply) => {
      outgoing.writeHead(status, headers).end(body);
      answered(path, request.method, status, context, startedAt);
    };
    const reply = replyTo(endpoint, request, context, {});
    if (reply instanceof Promise) void reply.then(send);
    else send(reply);
  };
}

/** Standard requests and responses for Node's. */
function listenerOf(
  fetch: (request: Request, bindings: HttpBindings) => Response | Promise<Response>,
): RequestListener {
  const listener = getRequestListener((request, bindings) =>
    fetch(request, bindings as HttpBindings),
  );
  return (incoming, outgoing) => void listener(incoming, outgoing);
}

const movedTo = (location: string, requestId: string) =>
  new Response(null, { status: 301, headers: { location, 'x-request-id': requestId } });

const nothingHere: Handler = (request, context) => toResponse(notFoundReply(request, context));

const refuseLargeBody = (): never => {
  throw new AppError('payload_too_large', `The body is larger than ${TRPC_BODY_BYTES} bytes.`);
};
