import { getRequestListener, RequestError, type HttpBindings } from '@hono/node-server';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { AppError, ERROR_STATUS } from '#server/common/errors.schema.ts';
import type { Config } from '#server/config.ts';
import {
  NodeRequest,
  rawHeader,
  WebRequest,
  type EndpointRequest,
} from '#server/http/endpoint-request.ts';
import { createStaticFiles } from '#server/http/static-files.ts';
import { createOrigin, createRequestContexts, type RequestContext } from './context.ts';
import { moved } from './path-spelling.ts';
import type { ServerContext } from './procedure-context.ts';
import { createPages, PAGE } from './remix/pages.ts';
import { RENDERING, type RenderLimits } from './remix/render-queue.ts';
import {
  errorReply,
  fileReply,
  isRead,
  replyTo,
  toResponse,
  type Methods,
  type Reply,
} from './rest/engine.ts';
import {
  resourceRoutes,
  rest,
  withoutSlash,
  type ResourceRoute,
  type BuildSource,
  type Handling,
  type Way,
} from './rest/resource-routes.ts';
import { trpc } from './trpc/handler.ts';

export interface AppOptions extends ServerContext {
  config: Config;
  build: BuildSource;
  /** Where the browser's files are, or null where Vite serves them. */
  clientDirectory: string | null;
  /**
   * Answer resource routes directly (default: true), instead of going through Remix's router, which costs about 0.15 ms
   * per request. Tests run both ways.
   */
  direct?: boolean;
  /** Tests reach some limits of rendering sooner. */
  rendering?: RenderLimits | undefined;
}

/** Everything that answers HTTP. */
export function createApp(options: AppOptions): RequestListener {
  const { build, clientDirectory, direct = true, rendering = RENDERING } = options;
  const { publicUrl } = options.config;
  const others = { askedAt: -Infinity };
  const handle = createHandler(options, others);
  const isBusy = () => performance.now() - others.askedAt < rendering.busyMs;
  // In development the routes change while the server runs: they are all Remix's.
  const routes = direct && typeof build !== 'function' ? resourceRoutes(build) : [];

  const pages = createPages(build, { isBusy, rendering, originOf: createOrigin(options.config) });

  const findFast = fast(routes, pages.kept);
  /** The ways in for what is not fast, in the order in which they are tried. */
  const ways: Way[] = [
    // First, so that the others need not know about spellings.
    moved(build),
    trpc,
    rest(routes),
    files(clientDirectory),
    // They answer every request.
    pages.way,
  ];

  const find = (request: Request, node: HttpBindings): Handling<Response | Reply> => {
    if (!URL.canParse(request.url)) throw new RequestError('The Host header isn’t valid.');
    const { pathname } = new URL(request.url);
    for (const way of ways) {
      const found = way(request, pathname, node);
      if (found) return found;
    }
    throw new Error('no way in');
  };
  const bridge = getRequestListener(
    (request, bindings) => {
      const node = bindings as HttpBindings;
      const found = find(request, node);
      return handle(found, new WebRequest(request), node.incoming, (sent, context) => {
        const response = 'json' in sent ? sent : toResponse(sent);
        for (const cookie of context.cookies) response.headers.append('set-cookie', cookie);
        return request.method === 'HEAD' ? new Response(null, response) : response;
      });
    },
    {
      // HTTP/1.0 needs no Host.
      hostname: publicUrl === undefined ? 'localhost' : new URL(publicUrl).host,
      errorHandler: (error) => toResponse(refuseUnread(error, options.log)),
    },
  );

  const isHttps = publicUrl?.startsWith('https:') ?? false;
  /** A proxy may pass on what came without TLS: there the header means nothing (RFC 6797, section 7.2). */
  const staysSecure = (incoming: IncomingMessage) =>
    isHttps && rawHeader(incoming, 'x-forwarded-proto') !== 'http';

  return (incoming, outgoing) => {
    const found = findFast(incoming);
    if (found)
      void handle(found, found.request, incoming, ({ status, headers, body }) => {
        // Only browsers heed it, and they send no heartbeats.
        if (isRead(found.request.method) && staysSecure(incoming))
          headers[TRANSPORT_SECURITY] = TWO_YEARS;
        outgoing.writeHead(status, headers).end(body);
      });
    else {
      if (staysSecure(incoming)) outgoing.setHeader(TRANSPORT_SECURITY, TWO_YEARS);
      void bridge(incoming, outgoing);
    }
  };
}

/** A request from which no standard one can be made: its Host or its path is no part of a URL. It has no context yet. */
function refuseUnread(error: unknown, log: Logger): Reply {
  const requestId = randomUUID();
  const isRefused = error instanceof RequestError;
  if (!isRefused) log.error({ err: error, requestId }, 'a request failed before it was read');
  const refused = new AppError(
    'invalid_request',
    'The Host header or the path of this request is not valid. Use the address of this service as it is written.',
  );
  return errorReply(isRefused ? refused : error, { requestId });
}

/**
 * Browsers that have been here ask for two years by https only (RFC 6797). Whether that holds for other hosts of the domain
 * is its owner's to say.
 */
const TRANSPORT_SECURITY = 'strict-transport-security';
const TWO_YEARS = 'max-age=63072000';

/** The host of a request in its one spelling. */
const ORDINARY_HOST = /^[a-z0-9.-]+(?::\d{1,5})?$/;

/** A request that is handled without a standard Request and Response. */
interface FastHandling extends Handling<Reply> {
  request: EndpointRequest;
}

/**
 * The fast way in: the exact path of an endpoint, an ordinary Host, GET, HEAD, or POST with the length of its body; and pages
 * for which many ask. These are nearly all requests of nodes, of programs that poll and of crowds, and the standard Request
 * and Response would cost more than the answer itself. Every other request takes the other ways, which know the rules
 * for it.
 */
function fast(
  routes: ResourceRoute[],
  keptPage: ReturnType<typeof createPages>['kept'],
): (incoming: IncomingMessage) => FastHandling | null {
  const endpoints = new Map<string, Methods>();
  for (const { path, endpoint } of routes)
    if (!('file' in endpoint) && !('notFound' in endpoint) && !path.includes(':'))
      endpoints.set(path, endpoint);

  // Nearly all requests name the same host: a URL is parsed only for another one.
  let lastHost: string | undefined;
  const isOrdinary = (host: string) => {
    if (host === lastHost) return true;
    if (!ORDINARY_HOST.test(host) || !URL.canParse(`http://${host}`)) return false;
    lastHost = host;
    return true;
  };

  return (incoming) => {
    const { method, url = '/' } = incoming;
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    const endpoint = endpoints.get(path);
    if (!isRead(method ?? 'GET') && !(endpoint && isSized(incoming))) return null;
    const host = rawHeader(incoming, 'host');
    if (host === null || !isOrdinary(host)) return null;
    const request = new NodeRequest(incoming, host);
    if (endpoint)
      return {
        route: path,
        request,
        respond: (context) => replyTo(endpoint, request, context, {}),
      };
    const respond = url.startsWith('/') ? keptPage(request) : null;
    return respond && { route: PAGE, request, respond };
  };
}

const isSized = (incoming: IncomingMessage) =>
  incoming.method === 'POST' && rawHeader(incoming, 'content-length') !== null;

/** The build's files are not counted: a page loads dozens, and browsers keep them. */
function files(directory: string | null): Way {
  if (directory === null) return () => null;
  const findFile = createStaticFiles(directory);
  return (request, pathname) => {
    const file = isRead(request.method) ? findFile(withoutSlash(pathname)) : null;
    // Modules and fonts are loaded with CORS, and an embedded map in a sandboxed frame has an origin of its own.
    return file && { route: null, respond: async () => fileReply(request, await file) };
  };
}

/**
 * Makes the function that runs what a way has found: it creates the context, makes a reply of every error, sends,
 * counts and logs. It makes no promise where none is needed: that keeps reads fast.
 * @param others.askedAt set to when something else than a page or a file was last asked for, ms (monotonic)
 */
function createHandler({ metrics, log, ...options }: AppOptions, others: { askedAt: number }) {
  const createContext = createRequestContexts({ metrics, log, ...options });

  /**
   * Counts a request, and logs it: at debug if it succeeded, its client has gone or there were too many of its kind, other
   * refusals at warn, and internal errors at error with the stack.
   */
  const record = (
    route: string | null,
    method: string,
    sent: number,
    { requestId, error }: RequestContext,
    ms: number,
  ) => {
    const hasGone = error?.code === 'client_closed';
    // A page may have been made of the error before anybody saw that it cannot be sent.
    const status = hasGone ? ERROR_STATUS.client_closed : sent;
    if (route !== null) metrics.request(route, method, status, ms / 1000);
    const quiet = !error || error.quiet;
    if (quiet && (route === null || !log.isLevelEnabled('debug'))) return;
    const code = error?.code;
    const line = { requestId, method, route, status, ms: Math.round(ms * 10) / 10, code };
    if (quiet) log.debug(line, error?.message ?? 'request');
    else if (error.code === 'internal') log.error({ ...line, err: error.cause }, error.message);
    else log.warn({ ...line, err: error.cause }, 'request refused');
  };

  return <Sent extends { status: number }, Out>(
    { route, respond }: Handling<Sent>,
    request: EndpointRequest,
    { socket }: IncomingMessage,
    send: (sent: Sent | Reply, context: RequestContext) => Out,
  ): Out | Promise<Out> => {
    const startedAt = performance.now();
    if (route !== PAGE && route !== null) others.askedAt = startedAt;
    const context = createContext(request, socket);
    const finish = (sent: Sent | Reply): Out => {
      const out = send(sent, context);
      record(route, request.method, sent.status, context, performance.now() - startedAt);
      return out;
    };
    const fail = (error: unknown) => finish(errorReply(error, context));
    try {
      const sent = respond(context);
      return sent instanceof Promise ? sent.then(finish, fail) : finish(sent);
    } catch (error) {
      return fail(error);
    }
  };
}
