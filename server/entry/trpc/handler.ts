import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { getTRPCErrorShape } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ERROR_STATUS, isAppError } from '#server/common/errors.schema.ts';
import {
  COMPRESS_FROM,
  compress,
  preferredEncoding,
  type Answer,
  type Encoding,
  type EventFrame,
} from '#server/live/index.ts';
import { readAtMost, tooLarge } from '#server/http/endpoint-request.ts';
import { LARGE_BYTES } from '#server/http/large-answers.ts';
import type { RequestContext } from '../context.ts';
import type { SharedBytes } from '../procedure-context.ts';
import { decoded, withoutSlash, type Way } from '../rest/resource-routes.ts';
import { contextOfError, STREAM_CLIENT, STREAM_PING_MS, toTrpcError } from './init.ts';
import { appRouter } from './router.ts';

const TRPC_PATH = '/api/trpc';

/** Largest body of a tRPC call, bytes. */
const TRPC_BODY_BYTES = 16 * 1024;

/** Most calls in one request, as tRPC's `httpBatchLink` sends them. Each counts for the limits like a request of its own. */
const BATCH_MAX = 10;

/** The way in for the typed API. */
export const trpc: Way = (request, pathname, { outgoing }) =>
  `${pathname}/`.startsWith(`${TRPC_PATH}/`)
    ? {
        route: TRPC_PATH,
        respond: async (context) => handleTrpc(await withLimit(request), context, outgoing),
      }
    : null;

/** The request with a body of at most {@link TRPC_BODY_BYTES}, whether or not it announces its length. @throws AppError `payload_too_large`, `unsupported_media_type`, `client_closed` */
async function withLimit(request: Request): Promise<Request> {
  const { method, headers } = request;
  if (method === 'GET' || method === 'HEAD') return request;
  if (Number(headers.get('content-length')) > TRPC_BODY_BYTES) throw tooLarge(TRPC_BODY_BYTES);
  if (!request.body) return request;
  const body = await readAtMost(request, TRPC_BODY_BYTES);
  return new Request(request, { body: new Uint8Array(body) });
}

/** @param response where event streams and large answers are written */
async function handleTrpc(
  request: Request,
  context: RequestContext,
  response: ServerResponse,
): Promise<Response> {
  const shared = request.method === 'GET' ? findShared(request) : null;
  if (shared) return sendShared(shared, context, response);
  try {
    await countBatch(request, context);
  } catch (error) {
    return refuse(error, pathOf(request.url), 'query', context);
  }
  const isStream = procedures.get(pathOf(request.url))?._def.type === 'subscription';
  return callProcedure(isStream ? endingWith(response, request) : request, context);
}

/** The request of a stream, aborted with its connection: a response behind another one gets no `close` itself. */
function endingWith(response: ServerResponse, request: Request): Request {
  const { socket } = response.req;
  const gone = new AbortController();
  const leave = () => gone.abort();
  socket.once('close', leave);
  response.once('close', () => socket.off('close', leave));
  if (socket.destroyed) leave();
  return new Request(request, { signal: AbortSignal.any([request.signal, gone.signal]) });
}

async function callProcedure(request: Request, context: RequestContext): Promise<Response> {
  const response = await fetchRequestHandler({
    endpoint: TRPC_PATH,
    req: request,
    router: appRouter,
    createContext: () => context,
    maxBatchSize: BATCH_MAX,
    // tRPC formats some errors before it has asked for the context.
    onError: ({ error }) => void contextOfError.set(error, context),
    responseMeta({ errors: [error], type, paths }) {
      const headers = new Headers(headersOf(context));
      // No other site may read what reviewers see.
      if (type === 'mutation' || paths?.some((path) => path.startsWith('review.')))
        headers.delete('access-control-allow-origin');
      const retryAfter = isAppError(error?.cause) ? error.cause.retryAfter : undefined;
      if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
      return { headers };
    },
  });
  // tRPC omits the type where it cannot make sense of a request.
  if (!response.headers.has('content-type'))
    response.headers.set('content-type', 'application/json');
  return response;
}

/**
 * Any site may read the answers and follow the streams, as with the public GETs. Nothing stores them: they have no ETag
 * to be asked about again, and the same procedures answer reviewers and the links of registrations.
 */
const headersOf = ({ requestId }: RequestContext): Record<string, string> => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'access-control-allow-origin': '*',
});

/** The procedures by their whole path. */
const procedures = new Map(
  Object.entries(
    appRouter._def.procedures as unknown as Record<
      string,
      { _def: { type: string; meta?: { shared?: SharedBytes } } }
    >,
  ),
);

/** The procedure that a URL names. */
const pathOf = (url: string): string =>
  decoded(withoutSlash(new URL(url).pathname).slice(TRPC_PATH.length + 1));

interface SharedCall {
  path: string;
  shared: SharedBytes;
  input: unknown;
}

/**
 * The call, if its bytes are shared and its input is valid; tRPC answers all others, and describes what is wrong. The path
 * and `batch` are read as tRPC reads them: it would count no stream that is spelled otherwise.
 */
function findShared({ url, headers }: Request): SharedCall | null {
  const { searchParams } = new URL(url);
  const path = pathOf(url);
  const shared = procedures.get(path)?._def.meta?.shared;
  if (!shared || searchParams.get('batch') === '1') return null;
  try {
    const sent = JSON.parse(searchParams.get('input') ?? 'null') as object | null;
    // EventSource sends it in a header when it reconnects.
    const lastEventId = headers.get('last-event-id') ?? searchParams.get('lastEventId');
    const input = shared.events && lastEventId ? { ...sent, lastEventId } : (sent ?? undefined);
    const parsed = shared.input.safeParse(input);
    return parsed.success ? { path, shared, input: parsed.data } : null;
  } catch {
    return null;
  }
}

/**
 * Counts the answers of a batch. Procedures count their own work, but a shared answer is written anew in a batch: it costs
 * a look-up for each part of the size that needs one elsewhere. @throws AppError `rate_limited`
 */
async function countBatch({ url, method }: Request, context: RequestContext): Promise<void> {
  const { searchParams } = new URL(url);
  if (method !== 'GET' || searchParams.get('batch') !== '1') return;
  const inputs = inputsOf(searchParams.get('input'));
  for (const [n, path] of pathOf(url).split(',').slice(0, BATCH_MAX).entries()) {
    const shared = procedures.get(path)?._def.meta?.shared;
    const input = shared?.input.safeParse(inputs[n]);
    if (!shared?.answer || !input?.success) continue;
    const { size } = await shared.answer(context.services, input.data);
    if (size > LARGE_BYTES)
      context.limits.countLookup(context.client(), Math.ceil(size / LARGE_BYTES));
  }
}

/** The inputs of a batch by their number; none where they can't be read, which tRPC describes. */
function inputsOf(text: string | null): Record<number, unknown> {
  try {
    return (JSON.parse(text ?? '{}') ?? {}) as Record<number, unknown>;
  } catch {
    return {};
  }
}

async function sendShared(
  { path, shared, input }: SharedCall,
  context: RequestContext,
  response: ServerResponse,
): Promise<Response> {
  const events = shared.events?.bind(shared);
  if (events) {
    let close: () => void;
    try {
      close = context.limits.openStream(context.client(), response.req.socket);
    } catch (error) {
      return refuse(error, path, 'subscription', context);
    }
    // A stream lives long: it must not keep the request's context in memory.
    const { services, log } = context;
    void sendEvents(response, headersOf(context), (signal) => events(services, input, signal))
      .catch((error: unknown) => log.error({ err: error }, 'an event stream failed'))
      .finally(close);
  } else {
    const answer = await shared.answer?.(context.services, input);
    if (!answer) throw new Error(`${path} has no shared bytes`);
    const { chunks, encoding } = await inEnvelope(
      answer,
      preferredEncoding(context.request.header('accept-encoding')),
    );
    const size = chunks.reduce((sum, { length }) => sum + length, 0);
    if (size > LARGE_BYTES)
      try {
        context.limits.countLookup(context.client());
      } catch (error) {
        return refuse(error, path, 'query', context);
      }
    response.writeHead(200, {
      ...headersOf(context),
      'content-type': 'application/json',
      vary: 'accept-encoding',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      'content-length': size,
    });
    for (const chunk of chunks) response.write(chunk);
    response.end();
  }
  return RESPONSE_ALREADY_SENT;
}

/** The events by which tRPC's clients know that a stream is open, alive, or over. */
const CONNECTED = `event: connected\ndata: ${JSON.stringify(STREAM_CLIENT)}\n\n`;
const PING = 'event: ping\ndata: \n\n';
const RETURN = 'event: return\ndata: \n\n';

/**
 * Writes an event stream to the socket itself: the bytes of an event are shared by all streams, and none of the
 * objects of a web stream are made for each of them. While a client reads slowly, what changes is collected into one
 * later event, because the next one is not asked for. The server ends the connection of one that reads nothing.
 * @param open gets a signal that aborts when the client has gone
 */
export async function sendEvents(
  response: ServerResponse,
  headers: Record<string, string>,
  open: (signal: AbortSignal) => AsyncIterable<EventFrame<unknown, unknown>>,
): Promise<void> {
  const { socket } = response.req;
  const gone = new AbortController();
  const leave = () => gone.abort();
  // Of the socket: a response that waits behind another one of its connection gets no `close` itself.
  socket.once('close', leave);
  if (socket.destroyed) leave();
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  response.write(CONNECTED);
  const ping = setInterval(() => response.write(PING), STREAM_PING_MS);
  try {
    for await (const { event } of open(gone.signal)) {
      for (const chunk of event) response.write(chunk);
      ping.refresh();
      if (response.writableNeedDrain && !(await drained(response, gone.signal))) return;
    }
    response.end(RETURN);
  } finally {
    clearInterval(ping);
    socket.off('close', leave);
    if (!response.writableEnded) response.destroy();
  }
}

/** Resolves once the client has read everything; with false if it leaves. */
const drained = (response: ServerResponse, gone: AbortSignal): Promise<boolean> =>
  once(response, 'drain', { signal: gone }).then(
    () => true,
    () => false,
  );

/** What tRPC writes around the data of an answer. */
const ENVELOPE = ['{"result":{"data":', '}}'].map((text) => Buffer.from(text)) as [Buffer, Buffer];

/**
 * Brotli's quality for answers of up to a megabyte. For the places of 100,000 nodes (305 KB), 5 makes 40 KB in some 15 ms
 * beside the event loop, and 1 makes 50 KB in 4 ms.
 */
const QUALITY = 5;
const QUALITY_UP_TO = 1024 * 1024;

/** Larger answers (bytes) are sent uncompressed: compressing them anew with every change would take too long. */
const COMPRESS_UP_TO = 4 * 1024 * 1024;

/** The compressed bytes of an answer in tRPC's envelope, made once for all who ask for it. */
const compressed = new WeakMap<Answer, Partial<Record<Encoding, Promise<Buffer>>>>();

async function inEnvelope(
  answer: Answer,
  accepted: Encoding,
): Promise<{ chunks: Buffer[]; encoding: Encoding }> {
  const whole = async () => {
    const { body } = await answer.in('identity');
    return [ENVELOPE[0], body, ENVELOPE[1]];
  };
  if (accepted === 'identity' || answer.size < COMPRESS_FROM || answer.size > COMPRESS_UP_TO)
    return { chunks: await whole(), encoding: 'identity' };
  let encodings = compressed.get(answer);
  if (!encodings) compressed.set(answer, (encodings = {}));
  const quality = answer.size > QUALITY_UP_TO ? undefined : QUALITY;
  encodings[accepted] ??= whole().then((chunks) =>
    compress(Buffer.concat(chunks), accepted, quality),
  );
  return { chunks: [await encodings[accepted]], encoding: accepted };
}

/** An error as tRPC writes it. */
function refuse(
  thrown: unknown,
  path: string,
  type: 'query' | 'subscription',
  context: RequestContext,
): Response {
  if (!isAppError(thrown)) throw thrown;
  const shape = getTRPCErrorShape({
    config: appRouter._def._config,
    error: toTrpcError(thrown),
    type,
    path,
    input: undefined,
    ctx: context,
  });
  const { retryAfter } = thrown;
  return new Response(JSON.stringify({ error: shape }), {
    status: ERROR_STATUS[thrown.code],
    headers: {
      ...headersOf(context),
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    },
  });
}
