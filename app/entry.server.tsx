import type {
  ActionFunctionArgs,
  AppLoadContext,
  EntryContext,
  LoaderFunctionArgs,
} from '@remix-run/node';
import { isRouteErrorResponse, RemixServer } from '@remix-run/react';
import { Writable } from 'node:stream';
import type { ReactElement } from 'react';
import { renderToPipeableStream } from 'react-dom/server';
import { withoutNul } from '#app/lib/remix-workarounds/without-nul.server.ts';
import { NetworkContext, type Network } from '#app/lib/network.tsx';
import { RequestIdContext } from '#app/lib/request-id.tsx';
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

/** Renders a page whole: it is compressed and sent at once, and may be sent to others too. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  { nonce, log, requestId, services }: AppLoadContext,
): Promise<Response> {
  const { html, error } = await renderWhole(
    <NetworkContext.Provider value={networkOf(services.config)}>
      <RequestIdContext.Provider value={status >= 500 ? requestId : null}>
        <NonceContext.Provider value={nonce}>
          <RemixServer context={remixContext} url={request.url} nonce={nonce} />
        </NonceContext.Provider>
      </RequestIdContext.Provider>
    </NetworkContext.Provider>,
    nonce,
    request.signal,
  );
  if (error !== undefined) log.error({ err: error, requestId }, 'a page failed to render');
  pageHeaders(headers, nonce, requestId, says(remixContext, 'frameable'));
  // Browsers bring it back as it was left, and ask for it anew otherwise. What is not for everybody is kept nowhere.
  const isPublic = says(remixContext, 'shared') && error === undefined && status < 500;
  headers.set('cache-control', isPublic ? 'private, no-cache' : 'no-store');
  // A filtered page is a part of another one. Crawlers that ask for it nevertheless are not to go on from there.
  if (new URL(request.url).search !== '' && !headers.has('x-robots-tag'))
    headers.set('x-robots-tag', 'noindex, nofollow');
  return new Response(html, { status: error === undefined ? status : 500, headers });
}

const networkOf = ({
  network,
  webhookSecrets,
  production,
  truthFile,
}: AppLoadContext['services']['config']): Network => ({
  ...network,
  credential: webhookSecrets.length === 0 ? 'none' : production ? 'required' : 'optional',
  settings: truthFile !== undefined,
});

/**
 * @param signal ends the rendering, as does its timeout
 * @returns the page, and the error of a part of it that failed
 * @throws what the frame of the page throws, for which Remix then renders the page of an error; the signal's reason
 */
async function renderWhole(page: ReactElement, nonce: string, signal: AbortSignal) {
  signal.throwIfAborted();
  let error: unknown;
  let abort = (_: unknown) => undefined as void;
  const onAbort = () => abort(signal.reason);
  const timer = setTimeout(() => abort(new Error('rendering took too long')), RENDER_TIMEOUT_MS);
  signal.addEventListener('abort', onAbort);
  try {
    const html = await new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
      const stream = renderToPipeableStream(page, {
        nonce,
        onAllReady: () => void stream.pipe(collect(resolve)),
        onShellError: reject,
        onError: (thrown) => void (error = thrown),
      });
      abort = stream.abort;
    });
    signal.throwIfAborted();
    return { html, error };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Takes everything at once: React writes some hundred small pieces. */
function collect(give: (bytes: Uint8Array<ArrayBuffer>) => void): Writable {
  const pieces: Uint8Array[] = [];
  return new Writable({
    write(piece: Uint8Array, _, done) {
      pieces.push(withoutNul(piece));
      done();
    },
    final(done) {
      give(endedLast(Buffer.concat(pieces)));
      done();
    },
  });
}

const END = Buffer.from('</body></html>');

/** Remix renders its data after the document. Browsers move it into the body, where it belongs, checkers refuse it. */
function endedLast(html: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const at = html.lastIndexOf(END);
  if (at === -1) return html;
  return Buffer.concat([html.subarray(0, at), html.subarray(at + END.length), END]);
}

/** Whether the page's route, or one around it, says so. */
const says = ({ staticHandlerContext, routeModules }: EntryContext, what: keyof PageHandle) =>
  staticHandlerContext.matches.some(
    ({ route }) => (routeModules[route.id]?.handle as PageHandle | undefined)?.[what] === true,
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
  headers.set('x-request-id', requestId);
}
