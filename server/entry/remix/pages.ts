import { createRequestHandler, type AppLoadContext, type ServerBuild } from '@remix-run/node';
import { randomBytes } from 'node:crypto';
import { AppError, toAppError } from '#server/common/errors.schema.ts';
import { errorResponse } from '../error-response.ts';
import { refusedFormPage } from './refused-form.ts';
import { createApiPathTest } from '../rest/resource-routes.ts';

/** The build, or in development a function that returns the newest one. */
export type BuildSource = ServerBuild | (() => Promise<ServerBuild>);

/** Pages and their forms, by Remix. */
export function createRemixHandler(
  source: BuildSource,
): (request: Request, context: AppLoadContext) => Promise<Response> {
  const development = typeof source === 'function';
  // The mode decides whether Remix sends the stack of an error to the client.
  const remix = createRequestHandler(source, development ? 'development' : 'production');
  const builtApiPaths = development ? null : createApiPathTest(source);

  return async (request, context) => {
    requireDecodable(request.url);
    context.nonce = randomBytes(16).toString('base64url');
    let accepted = request;
    if (sendsForm(request)) {
      const build = development ? await source() : source;
      const isApiPath = builtApiPaths ?? createApiPathTest(build);
      if (!isApiPath(new URL(request.url).pathname))
        try {
          accepted = sameOriginForm(request, context);
        } catch (error) {
          return refuseForm(request, context, build, error);
        }
    }
    const response = await remix(accepted, context);
    // Pages set it themselves; the data that scripts fetch for a page is just as private.
    if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
    return compress(request, response);
  };
}

/** Remix prints a path that it cannot decode to the console, with everything in it. */
function requireDecodable(url: string): void {
  try {
    decodeURIComponent(new URL(url).pathname);
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
function sameOriginForm(request: Request, { requireSameOrigin }: AppLoadContext): Request {
  requireSameOrigin();
  const headers = new Headers(request.headers);
  headers.delete('origin');
  return new Request(request, { headers });
}

/** A browser that waits for a page gets a page; scripts and programs get the usual JSON. */
function refuseForm(
  request: Request,
  context: AppLoadContext,
  build: ServerBuild,
  thrown: unknown,
): Response | Promise<Response> {
  const refused = errorResponse(context, thrown);
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
