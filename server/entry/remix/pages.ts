import { createRequestHandler, type AppLoadContext, type ServerBuild } from '@remix-run/node';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError, toAppError } from '#server/common/errors.schema.ts';
import { expectUpload, SMALL_BODY_BYTES } from '#server/http/connections.ts';
import { readAtMost } from '#server/http/endpoint-request.ts';
import type { RequestContext } from '../context.ts';
import { errorReply, respond, type Endpoint, type Params, type Reply } from '../rest/engine.ts';
import {
  createRouteFinder,
  resourceRoutes,
  type BuildSource,
  type Way,
} from '../rest/resource-routes.ts';
import { refusedFormPage } from './refused-form.ts';

declare module '@remix-run/server-runtime' {
  /**
   * What loaders and actions get as their `context`. Routes and the server are two module graphs: this object is the only
   * thing that they share.
   */
  interface AppLoadContext extends RequestContext {
    /** Names the scripts of the page in its policy. */
    nonce: string;
    /** Responds as the REST interface does. */
    rest(endpoint: Endpoint, request: Request, params: Params): Response | Promise<Response>;
    /** Reads a body, whether or not the request announces its length. @throws AppError `payload_too_large`, `unsupported_media_type`, `client_closed` */
    readBody(request: Request, maxBytes: number): Promise<Buffer>;
  }
}

/** The way in for pages and their forms, by Remix. It takes every request. */
export function pages(source: BuildSource): Way {
  const development = typeof source === 'function';
  // The mode decides whether Remix sends the stack of an error to the client.
  const remix = createRequestHandler(source, development ? 'development' : 'production');
  const findBuiltRoute = development ? null : createRouteFinder(resourceRoutes(source));

  const respondWithPage = async (
    request: Request,
    pathname: string,
    context: RequestContext,
    incoming: IncomingMessage,
  ): Promise<Response | Reply> => {
    requireDecodable(pathname);
    let accepted = request;
    if (sendsForm(request)) {
      const build = development ? await source() : source;
      const findRoute = findBuiltRoute ?? createRouteFinder(resourceRoutes(build));
      if (!findRoute(pathname))
        try {
          accepted = sameOriginForm(request, context);
        } catch (error) {
          return refuseForm(request, context, build, error);
        }
    }
    const response = await remix(accepted, loadContextFrom(context, incoming));
    // Pages set it themselves; the data that scripts fetch for a page is just as private.
    if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
    return compress(request, response);
  };

  return (request, pathname, { incoming }) => ({
    route: 'page',
    respond: (context) => respondWithPage(request, pathname, context, incoming),
  });
}

/** Completes the context itself: the error that a loader or action sets in it is for the log line. */
const loadContextFrom = (context: RequestContext, incoming: IncomingMessage): AppLoadContext =>
  Object.assign(context, {
    nonce: randomBytes(16).toString('base64url'),
    rest: (endpoint: Endpoint, request: Request, params: Params) =>
      respond(endpoint, request, context, params),
    readBody: (request: Request, maxBytes: number) => {
      if (maxBytes > SMALL_BODY_BYTES) expectUpload(incoming);
      return readAtMost(request, maxBytes);
    },
  }) as RequestContext as AppLoadContext;

/** Remix prints a path that it cannot decode to the console, with everything in it. */
function requireDecodable(pathname: string): void {
  try {
    decodeURIComponent(pathname);
  } catch {
    throw new AppError('not_found', 'This path does not exist.');
  }
}

const sendsForm = ({ method }: Request) => !['GET', 'HEAD', 'OPTIONS'].includes(method);

/**
 * The request without its Origin header, once it is known to come from one of our pages. Remix would compare
 * Origin with Host and answer 500 where they differ, as they do behind a proxy that names another host, and
 * in every form that is sent without scripts by a page that sends no Referer (`Origin: null`).
 * @throws AppError `forbidden`
 */
function sameOriginForm(request: Request, { requireSameOrigin }: RequestContext): Request {
  requireSameOrigin();
  const headers = new Headers(request.headers);
  headers.delete('origin');
  return new Request(request, { headers });
}

/** A browser that waits for a page gets a page; scripts and programs get the usual JSON. */
function refuseForm(
  request: Request,
  context: RequestContext,
  build: ServerBuild,
  thrown: unknown,
): Reply | Promise<Reply> {
  const refused = errorReply(thrown, context);
  if (!/\btext\/html\b/.test(request.headers.get('accept') ?? '')) return refused;
  const { pathname, search } = new URL(request.url);
  return refusedFormPage(refused, build, {
    message: toAppError(thrown).message,
    href: `${context.origin()}${pathname}${search}`,
  });
}

/** Compresses pages and their data. Event streams stay as they are: gzip would hold events back. */
function compress(request: Request, response: Response): Response {
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
