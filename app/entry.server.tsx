import {
  createReadableStreamFromReadable,
  type ActionFunctionArgs,
  type AppLoadContext,
  type EntryContext,
  type LoaderFunctionArgs,
} from '@remix-run/node';
import { isRouteErrorResponse, RemixServer } from '@remix-run/react';
import { isbot } from 'isbot';
import { renderToPipeableStream } from 'react-dom/server';
import { withoutNul } from '#app/lib/remix-workarounds/without-nul.server.ts';
import { NonceContext, type PageHandle } from '#app/lib/page-handle.ts';

/**
 * Replaces Remix's own handler, which prints the URL of every page that is not found, and with it any
 * registration id in that URL.
 */
export function handleError(
  error: unknown,
  { request, context: { log, requestId } }: LoaderFunctionArgs | ActionFunctionArgs,
): void {
  if (request.signal.aborted || isRouteErrorResponse(error)) return;
  log.error({ err: error, requestId }, 'a page failed');
}

/** Rendering a page is aborted after this time, milliseconds. */
const RENDER_TIMEOUT_MS = 10_000;

export default function handleRequest(
  request: Request,
  responseStatusCode: number,
  responseHeaders: Headers,
  remixContext: EntryContext,
  loadContext: AppLoadContext,
): Promise<Response> {
  const { nonce, log, requestId, error: refused } = loadContext;
  // Crawlers get the whole document at once; browsers get it as it is rendered.
  const whenReady = isbot(request.headers.get('user-agent') ?? '') ? 'onAllReady' : 'onShellReady';
  return new Promise((resolve, reject) => {
    let shellRendered = false;
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <RemixServer context={remixContext} url={request.url} nonce={nonce} />
      </NonceContext.Provider>,
      {
        nonce,
        [whenReady]() {
          shellRendered = true;
          const body = withoutNul();
          if (refused?.retryAfter !== undefined)
            responseHeaders.set('retry-after', String(refused.retryAfter));
          pageHeaders(responseHeaders, nonce, requestId, isFrameable(remixContext));
          resolve(
            new Response(createReadableStreamFromReadable(body), {
              status: responseStatusCode,
              headers: responseHeaders,
            }),
          );
          pipe(body);
        },
        onShellError: reject,
        onError(error) {
          responseStatusCode = 500;
          if (shellRendered) log.error({ err: error, requestId }, 'a page failed to render');
        },
      },
    );
    setTimeout(abort, RENDER_TIMEOUT_MS).unref();
  });
}

/** Whether other sites may show the page in a frame: only one whose route says so. */
const isFrameable = ({ staticHandlerContext, routeModules }: EntryContext): boolean =>
  staticHandlerContext.matches.some(
    ({ route }) => (routeModules[route.id]?.handle as PageHandle | undefined)?.frameable,
  );

/** Nothing from third parties, no inline script without the nonce, no embedding in frames of other pages. */
function pageHeaders(headers: Headers, nonce: string, requestId: string, frameable: boolean): void {
  const development = import.meta.env.DEV;
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    // Vite's development server injects styles without a nonce.
    `style-src 'self'${development ? " 'unsafe-inline'" : ''}`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${development ? ' ws:' : ''}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    // The preview of an embedded map.
    "frame-src 'self'",
    `frame-ancestors ${frameable ? '*' : "'none'"}`,
  ];
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-security-policy', policy.join('; '));
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'no-referrer');
  headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=()');
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cache-control', 'no-store');
  headers.set('x-request-id', requestId);
}
