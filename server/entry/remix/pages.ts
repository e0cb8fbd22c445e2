import { createRequestHandler, type AppLoadContext, type ServerBuild } from '@remix-run/node';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, toAppError } from '#server/common/errors.schema.ts';
import { SharedWork } from '#server/common/shared-work.ts';
import { expectUpload, SMALL_BODY_BYTES } from '#server/http/connections.ts';
import {
  clientClosed,
  readAtMost,
  tooLarge,
  WebRequest,
  type EndpointRequest,
} from '#server/http/endpoint-request.ts';
import type { RequestContext } from '../context.ts';
import {
  errorReply,
  isRead,
  respond,
  type Endpoint,
  type Params,
  type Reply,
} from '../rest/engine.ts';
import {
  createRouteFinder,
  resourceRoutes,
  type BuildSource,
  type Way,
} from '../rest/resource-routes.ts';
import { Pace } from './pace.ts';
import { createPageFinder, type PageRoute } from './page-routes.ts';
import { refusedFormPage, refusedPage } from './plain-pages.ts';
import { RenderedPage } from './rendered-page.ts';
import { createRenderQueue, type RenderLimits } from './render-queue.ts';
import { SharedPages } from './shared-pages.ts';

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

/** The route under which every page is counted. */
export const PAGE = 'page';

export interface PagesOptions {
  /** Whether requests for something else than pages have come lately. */
  isBusy: () => boolean;
  rendering: RenderLimits;
  /** Scheme and host under which the service is reached. */
  originOf: (request: EndpointRequest) => string;
}

interface Pages {
  /** The way in for pages and their forms, by Remix. It takes every request. */
  way: Way;
  /** Replies with the page for which many ask and this request does, too; null if there is none. */
  kept: (request: EndpointRequest) => ((context: RequestContext) => Promise<Reply>) | null;
}

export function createPages(
  source: BuildSource,
  { isBusy, rendering, originOf }: PagesOptions,
): Pages {
  const development = typeof source === 'function';
  // The mode decides whether Remix sends the stack of an error to the client.
  const remix = createRequestHandler(source, development ? 'development' : 'production');
  const queue = createRenderQueue(isBusy, rendering);
  const shared = new SharedPages(queue, rendering);
  const pace = new Pace(rendering.sharedAtOnce);
  const findersOf = (build: ServerBuild) => ({
    findPage: createPageFinder(build),
    findResource: createRouteFinder(resourceRoutes(build)),
  });
  const builtFinders = development ? null : findersOf(source);

  const render = async (request: Request, context: AppLoadContext, isPublic = false) => {
    const response = await remix(request, context);
    // Data for a page that is open: its code may be that of the release before.
    if (!development && response.headers.has('x-remix-response'))
      response.headers.set('x-release', source.assets.version);
    return RenderedPage.of(response, { isPublic, error: context.error });
  };

  /** A kept page costs little, but who reads it on many connections would still take a whole core. */
  const inTurn = ({ client }: RequestContext): Promise<void> | undefined => {
    const ms = isBusy() ? pace.wait(client(), performance.now()) : 0;
    return ms > 0 ? sleep(ms) : undefined;
  };

  const pageFor = async (
    request: Request,
    page: PageRoute | undefined,
    context: AppLoadContext,
  ) => {
    const { signal } = request;
    if (page?.shared && isAnonymousRead(new WebRequest(request)) && !development) {
      const url = `${context.origin()}${targetOf(request)}`;
      const kept = shared.kept(url);
      if (kept) {
        await inTurn(context);
        return kept;
      }
      // Rendered for a request that says nothing but the URL, whoever has sent it.
      return shared.render(url, context.client, signal, (gone) =>
        render(new Request(url, { signal: gone }), context, true),
      );
    }
    const isReviewer = !page?.shared && (await isReviewersRequest(request, context));
    const form = sendsForm(request);
    const accepted = form ? sameOriginForm(request, context) : request;
    const whole = form && !isReviewer ? await withWholeBody(accepted) : accepted;
    const line = isReviewer ? null : form ? `${context.client()} form` : context.client();
    // HEAD has the headers of GET, with the length. Remix would leave out the body before it is counted.
    const rendered = request.method === 'HEAD' ? new Request(whole, { method: 'GET' }) : whole;
    const isPublic = page?.shared === true && isRead(request.method);
    return new SharedWork(queue, () => render(rendered, context, isPublic)).wait(line, signal);
  };

  const respondWithPage = async (
    request: Request,
    pathname: string,
    context: AppLoadContext,
  ): Promise<Response | Reply> => {
    requireDecodable(pathname);
    const build = development ? await source() : source;
    const { findPage, findResource } = builtFinders ?? findersOf(build);
    if (findResource(pathname)) return remix(request, context);
    const page = findPage(pathname);
    try {
      requireMethod(request, page);
      if (page && request.method === 'OPTIONS')
        return {
          status: 204,
          headers: { allow: allowed(page), 'x-request-id': context.requestId },
          body: null,
        };
      const rendered = await pageFor(request, page, context);
      return await rendered.reply(new WebRequest(request), context);
    } catch (error) {
      const thrown = request.signal.aborted ? clientClosed() : error;
      return refuse(new WebRequest(request), page, context, build, thrown);
    }
  };

  return {
    way: (request, pathname, { incoming }) => ({
      route: PAGE,
      respond: (context) => respondWithPage(request, pathname, loadContextFrom(context, incoming)),
    }),
    kept(request) {
      if (development || !isAnonymousRead(request)) return null;
      const page = shared.kept(`${originOf(request)}${targetOf(request)}`);
      if (!page) return null;
      return async (context) => {
        try {
          await inTurn(context);
          return await page.reply(request, context);
        } catch (error) {
          return refuse(request, undefined, context, source, error);
        }
      };
    },
  };
}

/** Path and query. */
const targetOf = ({ url }: { url: string }) => url.slice(url.indexOf('/', url.indexOf('//') + 2));

/** Completes the context itself: the error that a loader or action sets in it is for the log line. */
const loadContextFrom = (context: RequestContext, incoming: IncomingMessage): AppLoadContext =>
  Object.assign(context, {
    nonce: randomBytes(16).toString('base64url'),
    rest: (endpoint: Endpoint, request: Request, params: Params) =>
      respond(endpoint, request, context, params),
    readBody: (request: Request, maxBytes: number) => {
      // A client that sends a body too large slowly would hold up the pages of others.
      if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes);
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

const sendsForm = ({ method }: { method: string }) => !['GET', 'HEAD', 'OPTIONS'].includes(method);

/** Remix answers a path that is no page with a page that says so, but only to those who read. */
function requireMethod({ method }: Request, page: PageRoute | undefined): void {
  if (!page && !isRead(method)) throw new AppError('not_found', 'This path does not exist.');
  if (page && !page.methods.includes(method))
    throw new AppError('method_not_allowed', `This path supports ${allowed(page)}.`);
}

const allowed = (page: PageRoute) => page.methods.join(', ');

/** Reads of anybody: nothing in the request could tell who asks. */
const isAnonymousRead = (request: EndpointRequest) =>
  isRead(request.method) &&
  request.header('cookie') === null &&
  request.header('authorization') === null;

/** Whether a reviewer is signed in. While the database can't tell, nobody is: the page itself says what that means. */
const isReviewersRequest = async ({ headers }: Request, context: RequestContext) =>
  headers.has('cookie') && (await context.reviewer().catch(() => null)) !== null;

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

/**
 * The form with its body read, so that a client that sends it slowly waits before its turn. Only reviewers upload files: a
 * longer body is left to the action, which refuses it unread.
 * @throws AppError as readAtMost
 */
async function withWholeBody(request: Request): Promise<Request> {
  const { url, method, headers, signal } = request;
  if (Number(headers.get('content-length')) > SMALL_BODY_BYTES) return request;
  const body = new Uint8Array(await readAtMost(request, SMALL_BODY_BYTES));
  return new Request(url, { method, headers, body, signal });
}

/** A browser that waits for a page gets a page; scripts and programs get the usual JSON. */
function refuse(
  request: EndpointRequest,
  page: PageRoute | undefined,
  context: RequestContext,
  build: ServerBuild,
  thrown: unknown,
): Reply | Promise<Reply> {
  const { code, message } = toAppError(thrown);
  const refused = errorReply(thrown, context, {
    'x-request-id': context.requestId,
    ...(page && code === 'method_not_allowed' && { allow: allowed(page) }),
  });
  if (!/\btext\/html\b/.test(request.header('accept') ?? '')) return refused;
  const { network } = context.services.config;
  const shown = { message, href: `${context.origin()}${targetOf(request)}`, network };
  if (sendsForm(request)) return refusedFormPage(refused, build, shown);
  return code === 'unavailable' || code === 'rate_limited'
    ? refusedPage(refused, build, shown)
    : refused;
}
