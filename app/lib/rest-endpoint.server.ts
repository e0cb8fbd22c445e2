import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs } from '@remix-run/node';
import type { z } from 'zod';
import type { Answer } from '#server/live/index.ts';
import type { Endpoint, Reply } from '#server/entry/rest/endpoint.ts';
import type { EndpointRequest } from '#server/http/endpoint-request.ts';
import type { RequestContext } from '#server/entry/context.ts';
import {
  AppError,
  ERROR_STATUS,
  errorBody,
  invalid,
  parse,
  toAppError,
  type ErrorCode,
} from '#server/common/errors.schema.ts';
import { answerOf, JSON_TYPE, replyWith } from './rest-answer.server.ts';
import { WebRequest, tooLarge } from './web-request.server.ts';

/**
 * A REST endpoint: `api({ GET, POST, PUT, DELETE })` makes the `loader` and the `action` of a resource route.
 * It takes care of OPTIONS, 405, CORS, ETag and 304, compression, body limits, and errors as JSON.
 * Order of checks: method, credential, rate limit of the client, size, content type, body.
 *
 * Answers that need no waiting are returned without a promise: they are then written in the same turn of the event
 * loop.
 */
export interface Methods<Query extends z.ZodType, WriteQuery extends z.ZodType = z.ZodType> {
  GET?: {
    query?: Query;
    /** Whether this is a public list, which shared caches may keep for SHARED_CACHE_SECONDS. */
    list?(query: z.output<Query>): boolean;
    /** Whether shared caches must not store this answer. */
    secret?(query: z.output<Query>): boolean;
    /** Nobody must store this answer, not even the client: it depends on who has signed the request. */
    noStore?: true;
    /** Returns prepared bytes, or an object to send as JSON. */
    handle(
      context: RequestContext,
      args: RequestArgs & { query: z.output<Query> },
    ): Answer | object | Promise<object>;
  };
  POST?: Write<WriteQuery>;
  PUT?: Write<WriteQuery>;
  DELETE?: {
    /** As for POST. */
    allow?(context: RequestContext): void | Promise<void>;
    /** Answered with 204. */
    handle(context: RequestContext, args: RequestArgs): Promise<void>;
  };
}

interface RequestArgs {
  request: EndpointRequest;
  params: Args['params'];
}

/** A request with a body. */
interface Write<Query extends z.ZodType> {
  maxBytes: number;
  query?: Query;
  /** Checks what needs no body: the credential, the rate limit. */
  allow?(context: RequestContext): void | Promise<void>;
  handle(
    context: RequestContext,
    args: RequestArgs & {
      query: z.output<Query>;
      body: unknown;
      /** The body as it came in. */
      text: string;
    },
  ): Promise<{ status: number; json: object }>;
}

type Args = LoaderFunctionArgs | ActionFunctionArgs;
type Handler = (args: Args) => Response | Promise<Response>;

export function api<Query extends z.ZodType, WriteQuery extends z.ZodType>(
  methods: Methods<Query, WriteQuery>,
): { loader: Handler & { endpoint: Endpoint }; action: Handler } {
  const { GET, POST, PUT, DELETE } = methods;
  const allow = allowed(methods);
  const cors: Record<string, string> = GET ? CORS_HEADERS : {};
  const respond = (request: EndpointRequest, context: RequestContext, params: Args['params']) => {
    const head = { ...BASE_HEADERS, 'x-request-id': context.requestId };
    const { method } = request;
    const reading = isRead(method);
    const headers = reading ? { ...head, ...cors } : head;
    const fail = (error: unknown) => errorReply(error, context, headers);
    try {
      if (reading && GET) return get(GET, { request, params }, context, headers, fail);
      if (method === 'POST' && POST)
        return write(POST, { request, params }, context, headers).catch(fail);
      if (method === 'PUT' && PUT)
        return write(PUT, { request, params }, context, headers).catch(fail);
      if (method === 'DELETE' && DELETE)
        return remove(DELETE, { request, params }, context, headers).catch(fail);
      return otherMethod(method, context, headers, cors, allow);
    } catch (error) {
      return fail(error);
    }
  };
  // A path with parameters comes from a router, which knows them.
  const endpoint: Endpoint = (request, context) => respond(request, context, {});
  const handler: Handler = ({ request, context, params }) => {
    const reply = respond(new WebRequest(request), context, params);
    return isPromise(reply) ? reply.then(webResponse) : webResponse(reply);
  };
  // The HTTP server calls the endpoint without a Request and a Response where it can.
  return { loader: Object.assign(handler, { endpoint }), action: handler };
}

/** A file that a GET answers with; other methods and errors as for {@link api}. */
export function file(
  answer: (args: {
    request: Request;
    context: AppLoadContext;
    params: Args['params'];
  }) => Response | Promise<Response>,
  /** No other site may read the file of a reviewer. */
  { reviewersOnly = false } = {},
): { loader: Handler; action: Handler } {
  const allow = allowed({ GET: true });
  const cors: Record<string, string> = reviewersOnly ? {} : CORS_HEADERS;
  const handler: Handler = async ({ request, context, params }) => {
    const head = { ...BASE_HEADERS, 'x-request-id': context.requestId };
    const headers = isRead(request.method) ? { ...head, ...cors } : head;
    try {
      if (isRead(request.method)) return await answer({ request, context, params });
      return webResponse(otherMethod(request.method, context, headers, cors, allow));
    } catch (error) {
      return webResponse(errorReply(error, context, headers));
    }
  };
  return { loader: handler, action: handler };
}

/** A path that does not exist: 404 for every method. */
export function nothingHere(): { loader: Handler; action: Handler } {
  const handler: Handler = ({ request, context }) => {
    const error = new AppError(
      'not_found',
      'This path does not exist. GET /api/openapi.json lists all paths.',
    );
    return webResponse(
      errorReply(error, context, {
        ...BASE_HEADERS,
        'x-request-id': context.requestId,
        ...(isRead(request.method) ? CORS_HEADERS : {}),
      }),
    );
  };
  return { loader: handler, action: handler };
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD';

const allowed = ({ GET, POST, PUT, DELETE }: Partial<Record<keyof Methods<z.ZodType>, unknown>>) =>
  [
    ...(GET ? ['GET', 'HEAD'] : []),
    'OPTIONS',
    ...(POST ? ['POST'] : []),
    ...(PUT ? ['PUT'] : []),
    ...(DELETE ? ['DELETE'] : []),
  ].join(', ');

function otherMethod(
  method: string,
  context: RequestContext,
  headers: Record<string, string>,
  cors: Record<string, string>,
  allow: string,
): Reply {
  if (method === 'OPTIONS')
    return { status: 204, headers: { ...headers, ...cors, ...preflight(allow) }, body: null };
  const error = new AppError('method_not_allowed', `This path supports ${allow}.`);
  return errorReply(error, context, { ...headers, allow });
}

const webResponse = ({ status, headers, body }: Reply): Response =>
  new Response(body as string | Uint8Array<ArrayBuffer> | null, { status, headers });

const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, retry-after, x-request-id',
};
const BASE_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

const preflight = (allow: string) => ({
  allow,
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'if-none-match',
  'access-control-max-age': '86400',
});

function get<Query extends z.ZodType>(
  endpoint: NonNullable<Methods<Query>['GET']>,
  args: RequestArgs,
  context: RequestContext,
  headers: Record<string, string>,
  fail: (error: unknown) => Reply,
): Reply | Promise<Reply> {
  const query = parseQuery(args.request, endpoint.query);
  const result = endpoint.handle(context, { ...args, query });
  const reply = (made: object) => {
    const answer = isAnswer(made) ? made : answerOf(made);
    return replyWith(args.request, answer, {
      'cache-control': answer.final ? FINAL : cacheControl(endpoint, query, context),
      ...headers,
    });
  };
  const replied = isPromise(result) ? result.then(reply) : reply(result);
  // Compressing may fail as well.
  return isPromise(replied) ? replied.catch(fail) : replied;
}

/** Kept for a day without asking again. */
const FINAL = 'public, max-age=86400, immutable';

/** Clients always ask again, with their ETag. */
function cacheControl<Query extends z.ZodType>(
  endpoint: NonNullable<Methods<Query>['GET']>,
  query: z.output<Query>,
  { services }: RequestContext,
): string {
  if (endpoint.noStore) return 'no-store';
  if (endpoint.secret?.(query)) return 'private, no-cache';
  const seconds = services.config.sharedCacheSeconds;
  return seconds > 0 && endpoint.list?.(query)
    ? `public, max-age=0, s-maxage=${seconds}, stale-while-revalidate=5`
    : 'no-cache';
}

async function write<Query extends z.ZodType>(
  endpoint: Write<Query>,
  args: RequestArgs,
  context: RequestContext,
  headers: Record<string, string>,
): Promise<Reply> {
  await endpoint.allow?.(context);
  const query = parseQuery(args.request, endpoint.query);
  const text = await readText(args.request, endpoint.maxBytes);
  const body = parseJson(text);
  const { status, json } = await endpoint.handle(context, { ...args, query, body, text });
  return jsonReply(status, json, { ...headers, ...JSON_HEADERS });
}

async function remove(
  endpoint: NonNullable<Methods<z.ZodType>['DELETE']>,
  args: RequestArgs,
  context: RequestContext,
  headers: Record<string, string>,
): Promise<Reply> {
  await endpoint.allow?.(context);
  await endpoint.handle(context, args);
  return { status: 204, headers: { ...headers, 'cache-control': 'no-store' }, body: null };
}

const JSON_HEADERS = { 'content-type': JSON_TYPE, 'cache-control': 'no-store' };

function jsonReply(status: number, json: object, headers: Record<string, string>): Reply {
  const body = JSON.stringify(json);
  headers['content-length'] = String(Buffer.byteLength(body));
  return { status, headers, body };
}

/** @throws AppError `invalid_query` */
const parseQuery = <Query extends z.ZodType>(
  { url }: EndpointRequest,
  schema: Query | undefined,
): z.output<Query> =>
  schema ? parse(schema, queryOf(url, schema), 'invalid_query') : ({} as z.output<Query>);

/** Known query parameters. Duplicates are refused, unknown parameters are ignored. */
function queryOf(url: string, schema: z.ZodType): Record<string, string> {
  const at = url.indexOf('?');
  if (at < 0) return {};
  const shape = 'shape' in schema ? (schema.shape as Record<string, unknown>) : {};
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    if (!Object.hasOwn(shape, name)) continue;
    if (Object.hasOwn(query, name))
      throw invalid('invalid_query', [{ path: name, message: 'is given twice' }]);
    query[name] = value;
  }
  return query;
}

function readText(request: EndpointRequest, maxBytes: number): Promise<string> {
  const length = request.header('content-length');
  if (length !== null && Number(length) > maxBytes) throw tooLarge(maxBytes);
  if (!/^application\/json\s*(?:;|$)/i.test(request.header('content-type') ?? ''))
    throw new AppError(
      'unsupported_media_type',
      'Send the body as JSON, with the header "Content-Type: application/json".',
    );
  return request.text(maxBytes);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}

const isAnswer = (value: object): value is Answer => 'etag' in value && 'in' in value;
const isPromise = <T extends object>(value: T | Promise<T>): value is Promise<T> => 'then' in value;

/** How to authenticate instead: by the shared secret, or by a signature (RFC 9421, 5.1). */
const SIGN = {
  'www-authenticate': 'Signature',
  'accept-signature':
    'node=("@method" "@path" "content-digest");created;nonce;keyid;tag="mesh-node"',
};
const AUTHENTICATE: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthorized: { 'www-authenticate': 'Bearer' },
  signature_invalid: SIGN,
  signature_required: SIGN,
};

function errorReply(
  thrown: unknown,
  context: RequestContext,
  headers: Record<string, string>,
): Reply {
  const error = toAppError(thrown);
  context.error = error;
  return jsonReply(ERROR_STATUS[error.code], errorBody(error, context.requestId), {
    ...headers,
    ...JSON_HEADERS,
    ...AUTHENTICATE[error.code],
    ...(error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) }),
  });
}
