import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import type { z } from 'zod';
import type { Answer } from '#server/live/index.ts';
import type { RequestContext } from '#server/http/request-context.ts';
import {
  AppError,
  ERROR_STATUS,
  errorBody,
  invalid,
  parse,
  toAppError,
} from '#server/common/errors.schema.ts';
import { answerOf, JSON_TYPE, sendAnswer } from './rest-answer.server.ts';
import { readAtMost, tooLarge } from './request-body.server.ts';

/**
 * A REST endpoint: `api({ GET, POST })` makes the `loader` and the `action` of a resource route.
 * It takes care of OPTIONS, 405, CORS, ETag and 304, compression, body limits, and errors as JSON.
 * Order of checks: method, credential, rate limit of the client, size, content type, body.
 *
 * Answers that need no waiting are returned without a promise: the adapter then writes them in the same
 * turn of the event loop.
 */
export interface Methods<Query extends z.ZodType> {
  GET?: {
    query?: Query;
    /** No other site may read the responses. */
    reviewersOnly?: boolean;
    /** Whether this is a public list, which shared caches may keep for SHARED_CACHE_SECONDS. */
    list?(query: z.output<Query>): boolean;
    /** Whether shared caches must not store this answer. */
    secret?(query: z.output<Query>): boolean;
    /** Returns prepared bytes, an object to send as JSON, or a complete response. */
    handle(
      context: RequestContext,
      args: { request: Request; query: z.output<Query> },
    ): Answer | Response | object | Promise<Response | object>;
  };
  POST?: {
    maxBytes: number;
    /** Checks what needs no body: the credential, the rate limit. */
    allow?(context: RequestContext, args: { request: Request }): void | Promise<void>;
    handle(
      context: RequestContext,
      args: { request: Request; body: unknown },
    ): Promise<{ status: number; json: object }>;
  };
}

type Args = LoaderFunctionArgs | ActionFunctionArgs;
type Handler = (args: Args) => Response | Promise<Response>;

export function api<Query extends z.ZodType>(
  methods: Methods<Query>,
): { loader: Handler; action: Handler } {
  const allow = [
    ...(methods.GET ? ['GET', 'HEAD'] : []),
    'OPTIONS',
    ...(methods.POST ? ['POST'] : []),
  ].join(', ');
  const cors: Record<string, string> =
    methods.GET && !methods.GET.reviewersOnly ? CORS_HEADERS : {};

  const handler: Handler = ({ request, context }) => {
    const head = { ...BASE_HEADERS, 'x-request-id': context.requestId };
    const { method } = request;
    const reading = method === 'GET' || method === 'HEAD';
    const headers = reading ? { ...head, ...cors } : head;
    const fail = (error: unknown) => errorResponse(error, context, headers);
    try {
      if (reading && methods.GET) return get(methods.GET, request, context, headers, fail);
      if (method === 'POST' && methods.POST)
        return post(methods.POST, request, context, headers).catch(fail);
      if (method === 'OPTIONS')
        return new Response(null, {
          status: 204,
          headers: { ...head, ...cors, ...preflight(allow) },
        });
      const error = new AppError('method_not_allowed', `This path supports ${allow}.`);
      return errorResponse(error, context, { ...headers, allow });
    } catch (error) {
      return fail(error);
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
    const reading = request.method === 'GET' || request.method === 'HEAD';
    return errorResponse(error, context, {
      ...BASE_HEADERS,
      'x-request-id': context.requestId,
      ...(reading ? CORS_HEADERS : {}),
    });
  };
  return { loader: handler, action: handler };
}

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
  request: Request,
  context: RequestContext,
  headers: Record<string, string>,
  fail: (error: unknown) => Response,
): Response | Promise<Response> {
  const query = (
    endpoint.query
      ? parse(endpoint.query, queryOf(request.url, endpoint.query), 'invalid_query')
      : {}
  ) as z.output<Query>;
  const result = endpoint.handle(context, { request, query });
  const reply = (made: object) =>
    made instanceof Response
      ? made
      : sendAnswer(request, isAnswer(made) ? made : answerOf(made), {
          'cache-control': cacheControl(endpoint, query, context),
          ...headers,
        });
  return isPromise(result) ? result.then(reply).catch(fail) : reply(result);
}

/** Clients always ask again, with their ETag. */
function cacheControl<Query extends z.ZodType>(
  endpoint: NonNullable<Methods<Query>['GET']>,
  query: z.output<Query>,
  { services }: RequestContext,
): string {
  if (endpoint.secret?.(query)) return 'private, no-cache';
  const seconds = services.config.sharedCacheSeconds;
  return seconds > 0 && endpoint.list?.(query)
    ? `public, max-age=0, s-maxage=${seconds}, stale-while-revalidate=5`
    : 'no-cache';
}

async function post(
  endpoint: NonNullable<Methods<z.ZodType>['POST']>,
  request: Request,
  context: RequestContext,
  headers: Record<string, string>,
): Promise<Response> {
  await endpoint.allow?.(context, { request });
  const body = await readJson(request, endpoint.maxBytes);
  const { status, json } = await endpoint.handle(context, { request, body });
  return new Response(JSON.stringify(json), {
    status,
    headers: { ...headers, 'content-type': JSON_TYPE, 'cache-control': 'no-store' },
  });
}

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

async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const length = request.headers.get('content-length');
  if (length !== null && Number(length) > maxBytes) throw tooLarge(maxBytes);
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw new AppError(
      'unsupported_media_type',
      'Send the body as JSON, with the header "Content-Type: application/json".',
    );
  // The HTTP parser enforces an announced length; without one the bytes are counted here.
  const text =
    length === null
      ? // Like request.text(), this removes a byte order mark.
        new TextDecoder().decode(await readAtMost(request, maxBytes))
      : await request.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}

const isAnswer = (value: object): value is Answer => 'etag' in value && 'in' in value;
const isPromise = (value: object): value is Promise<object> => 'then' in value;

function errorResponse(
  thrown: unknown,
  context: RequestContext,
  headers: Record<string, string>,
): Response {
  const error = toAppError(thrown);
  context.error = error;
  return new Response(JSON.stringify(errorBody(error, context.requestId)), {
    status: ERROR_STATUS[error.code],
    headers: {
      ...headers,
      'content-type': JSON_TYPE,
      'cache-control': 'no-store',
      ...(error.code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {}),
      ...(error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) }),
    },
  });
}
