import { createHash } from 'node:crypto';
import type { z } from 'zod';
import {
  AppError,
  ERROR_STATUS,
  errorBody,
  invalid,
  parse,
  toAppError,
  type ErrorCode,
} from '#server/common/errors.schema.ts';
import {
  COMPRESS_FROM,
  fixedAnswer,
  preferredEncoding,
  type Answer,
  type Bytes,
} from '#server/live/index.ts';
import {
  decodeBody,
  clientClosed,
  tooLarge,
  WebRequest,
  type EndpointRequest,
} from '#server/http/endpoint-request.ts';
import { LARGE_BYTES } from '#server/http/large-answers.ts';
import type { Services } from '#server/services.ts';
import type { RequestContext } from '../context.ts';

/**
 * The REST interface: methods, OPTIONS and 405, CORS, body limits, ETag and 304, compression, and errors as JSON. What a
 * route takes and answers stands in the route's file, app/routes/api.*.ts, as an {@link Endpoint}.
 */

/** What a route for programs says of itself. */
export type Endpoint<
  Query extends z.ZodType = z.ZodType,
  WriteQuery extends z.ZodType = z.ZodType,
> = Methods<Query, WriteQuery> | FileEndpoint | { notFound: true };

/** What each method does. The order of checks is: method, credential, rate limit of the client, size, content type, body. */
export interface Methods<
  Query extends z.ZodType = z.ZodType,
  WriteQuery extends z.ZodType = z.ZodType,
> {
  GET?: Read<Query>;
  POST?: Write<WriteQuery>;
  PUT?: Write<WriteQuery>;
  DELETE?: {
    /** Checks the credential and the rate limit, as for POST. */
    allow?(context: RequestContext): void | Promise<void>;
    /** Returns an object to send as JSON with 200; null is answered with 204. */
    handle(context: RequestContext, args: RequestArgs): Promise<object | null>;
  };
}

interface Read<Query extends z.ZodType> {
  query?: Query;
  /** Whether this is a public list, which shared caches may keep for SHARED_CACHE_SECONDS. */
  list?(query: z.output<Query>): boolean;
  /** Whether shared caches must not store this answer. */
  secret?(query: z.output<Query>): boolean;
  /** Nobody must store this answer, not even the client: it depends on who has signed the request. */
  noStore?: true;
  /** Returns an answer that is made already, or an object to send as JSON. */
  handle(
    context: RequestContext,
    args: RequestArgs & { query: z.output<Query> },
  ): Answer | object | Promise<object>;
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
      bytes: Uint8Array;
    },
  ): Promise<{ status: number; json: object }>;
}

interface RequestArgs {
  request: EndpointRequest;
  params: Params;
}

/** The parameters in the path, decoded. */
export type Params = Readonly<Record<string, string | undefined>>;

/** A file that a GET is answered with. */
export interface FileEndpoint {
  file(args: {
    request: Request;
    context: RequestContext;
    params: Params;
  }): Response | TaggedFile | Promise<Response | TaggedFile>;
  /** No other site may read it. */
  private?: true;
  /** Makes what it will be asked for now that a name is active. @param signal aborts when the service ends */
  prepare?: (services: Services, name: string, signal: AbortSignal) => Promise<void>;
}

/** A file that is sent with an ETag, or with 304 to a client that has it, compressed if the client accepts that. */
export interface TaggedFile {
  contentType: string;
  /** Beside those of every reply. */
  headers: Record<string, string>;
  /** An answer has its tag already, and makes its bytes only for a client that doesn't have them. */
  body: string | Answer;
}

/** What one client is sent. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | null;
}

/** Responds to a standard request. */
export function respond(
  endpoint: Endpoint,
  request: Request,
  context: RequestContext,
  params: Params,
): Response | Promise<Response> {
  if ('file' in endpoint) return respondWithFile(endpoint, request, context, params);
  const reply =
    'notFound' in endpoint
      ? notFoundReply(request, context)
      : replyTo(endpoint, new WebRequest(request), context, params);
  return isPromise(reply) ? reply.then(toResponse) : toResponse(reply);
}

/**
 * Replies to a request. A reply that needs no waiting comes without a promise: it is then written in the same turn of
 * the event loop. Every error becomes a reply.
 */
export function replyTo(
  methods: Methods,
  request: EndpointRequest,
  context: RequestContext,
  params: Params,
): Reply | Promise<Reply> {
  const { GET, POST, PUT, DELETE } = methods;
  const { method } = request;
  const isReading = isRead(method);
  const headers = baseHeaders(context, isReading && GET !== undefined);
  const fail = (error: unknown) => errorReply(error, context, headers);
  try {
    if (isReading && GET) return read(GET, { request, params }, context, headers, fail);
    const writing = method === 'POST' ? POST : method === 'PUT' ? PUT : undefined;
    if (writing) return write(writing, { request, params }, context, headers).catch(fail);
    if (method === 'DELETE' && DELETE)
      return remove(DELETE, { request, params }, context, headers).catch(fail);
    return otherMethod(method, methods, context, headers, GET !== undefined);
  } catch (error) {
    return fail(error);
  }
}

/** A path that does not exist: 404 for every method. */
export function notFoundReply({ method }: { method: string }, context: RequestContext): Reply {
  return errorReply(
    new AppError('not_found', 'This path does not exist. GET /api/openapi.json lists all paths.'),
    context,
    baseHeaders(context, isRead(method)),
  );
}

async function respondWithFile(
  endpoint: FileEndpoint,
  request: Request,
  context: RequestContext,
  params: Params,
): Promise<Response> {
  const { method } = request;
  const open = !endpoint.private;
  const headers = baseHeaders(context, isRead(method) && open);
  try {
    if (!isRead(method))
      return toResponse(otherMethod(method, { GET: true }, context, headers, open));
    const made = await endpoint.file({ request, context, params });
    if (made instanceof Response) return made;
    return toResponse(await replyWithFile(new WebRequest(request), made, headers, context));
  } catch (error) {
    const thrown = request.signal.aborted ? clientClosed() : error;
    return toResponse(errorReply(thrown, context, headers));
  }
}

/**
 * Replies with a file that any site may read. No line of the log is about it, so it has no request ID: that, and which headers
 * other sites may read, would be 117 bytes in each of a page's twenty files.
 */
export const fileReply = (request: Request, file: TaggedFile): Reply | Promise<Reply> =>
  replyWithFile(
    new WebRequest(request),
    file,
    {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
    },
    null,
  );

/**
 * @param headers as {@link baseHeaders} makes them
 * @param counting as for {@link replyFrom}
 */
function replyWithFile(
  request: EndpointRequest,
  { contentType, headers: own, body }: TaggedFile,
  headers: Record<string, string>,
  counting: RequestContext | null,
): Reply | Promise<Reply> {
  const answer = typeof body === 'string' ? fixedAnswer(body) : body;
  return replyFrom(request, answer, Object.assign(headers, own), contentType, counting);
}

export const toResponse = ({ status, headers, body }: Reply): Response =>
  new Response(body as string | Uint8Array<ArrayBuffer> | null, { status, headers });

export const isRead = (method: string) => method === 'GET' || method === 'HEAD';

const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, retry-after, x-request-id',
};

/**
 * The headers of one reply, to which what replies adds its own: by Object.assign, because in Node 20 it takes 2 to 5 µs to
 * add properties to an object that was spread, and less than 0.2 to assign them.
 * @param open whether any site may read the reply
 */
const baseHeaders = ({ requestId }: RequestContext, open: boolean): Record<string, string> =>
  Object.assign(
    {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-request-id': requestId,
    },
    open ? CORS_HEADERS : undefined,
  );

/** Replies to OPTIONS, and refuses every method that the path does not have. @param open as for {@link baseHeaders} */
function otherMethod(
  method: string,
  methods: { [Method in keyof Methods]?: unknown },
  context: RequestContext,
  headers: Record<string, string>,
  open: boolean,
): Reply {
  const allow = allowed(methods);
  if (method === 'OPTIONS')
    return {
      status: 204,
      headers: { ...headers, ...(open ? CORS_HEADERS : undefined), ...preflight(allow) },
      body: null,
    };
  const error = new AppError('method_not_allowed', `This path supports ${allow}.`);
  return errorReply(error, context, { ...headers, allow });
}

const allowed = ({ GET, POST, PUT, DELETE }: { [Method in keyof Methods]?: unknown }) =>
  [
    ...(GET ? ['GET', 'HEAD'] : []),
    'OPTIONS',
    ...(POST ? ['POST'] : []),
    ...(PUT ? ['PUT'] : []),
    ...(DELETE ? ['DELETE'] : []),
  ].join(', ');

const preflight = (allow: string) => ({
  allow,
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'if-none-match',
  'access-control-max-age': '86400',
});

function read(
  endpoint: Read<z.ZodType>,
  { request, params }: RequestArgs,
  context: RequestContext,
  headers: Record<string, string>,
  fail: (error: unknown) => Reply,
): Reply | Promise<Reply> {
  const query = parseQuery(request, endpoint.query);
  const result = endpoint.handle(context, { request, params, query });
  const reply = (made: object) => {
    const answer = isAnswer(made) ? made : answerFrom(made);
    const kept = { 'cache-control': answer.final ? FINAL : cacheControl(endpoint, query, context) };
    return replyFrom(request, answer, Object.assign(kept, headers), JSON_TYPE, context);
  };
  const replied = isPromise(result) ? result.then(reply) : reply(result);
  // Compressing may fail as well.
  return isPromise(replied) ? replied.catch(fail) : replied;
}

/** Kept for a day without asking again. */
const FINAL = 'public, max-age=86400, immutable';

/** Clients always ask again, with their ETag. */
function cacheControl(
  endpoint: Read<z.ZodType>,
  query: unknown,
  { services }: RequestContext,
): string {
  if (endpoint.noStore) return 'no-store';
  if (endpoint.secret?.(query)) return 'private, no-cache';
  const seconds = services.config.sharedCacheSeconds;
  return seconds > 0 && endpoint.list?.(query)
    ? `public, max-age=0, s-maxage=${seconds}, stale-while-revalidate=5`
    : 'no-cache';
}

/**
 * Replies with an answer: 304 if the client has it, compressed if the client accepts that.
 * @param counting whose client is counted if it is sent many bytes; null for files of the build, which browsers keep
 * @throws AppError `rate_limited`
 */
function replyFrom(
  request: EndpointRequest,
  answer: Answer,
  headers: Record<string, string>,
  contentType: string,
  counting: RequestContext | null,
): Reply | Promise<Reply> {
  const known = request.header('if-none-match');
  if (!answer.asIs) headers['vary'] = 'accept-encoding';
  if (known !== null && matches(known, answer.etag)) {
    headers['etag'] = answer.etag;
    return { status: 304, headers, body: null };
  }
  headers['content-type'] = contentType;
  const encoding =
    answer.size >= COMPRESS_FROM && !answer.asIs
      ? preferredEncoding(request.header('accept-encoding'))
      : 'identity';
  const reply = (bytes: Bytes): Reply => {
    if (request.method !== 'HEAD' && bytes.body.length > LARGE_BYTES)
      counting?.limits.countLookup(counting.client());
    return replyWithBytes(bytes, headers);
  };
  const bytes = answer.in(encoding);
  return isPromise(bytes) ? bytes.then(reply) : reply(bytes);
}

function replyWithBytes({ body, etag, encoding }: Bytes, headers: Record<string, string>): Reply {
  if (encoding !== 'identity') headers['content-encoding'] = encoding;
  headers['etag'] = etag;
  headers['content-length'] = String(body.length);
  return { status: 200, headers, body };
}

/** If-None-Match compares weakly: W/"x" and "x" are the same tag. */
export const matches = (header: string, etag: string): boolean =>
  header === etag ||
  header.trim() === '*' ||
  header.split(',').some((tag) => opaque(tag) === opaque(etag));

const opaque = (tag: string) => tag.trim().replace(/^W\//, '');

/** The tag of an answer that is made of its content. */
export const hashTag = (content: string | Buffer): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;

/** An answer made for one request: small, never compressed, tagged by the hash of its bytes. */
function answerFrom(json: object): Answer {
  const body = Buffer.from(JSON.stringify(json));
  const etag = hashTag(body);
  return { etag, size: body.length, in: () => ({ etag, body, encoding: 'identity' }) };
}

async function write(
  endpoint: Write<z.ZodType>,
  { request, params }: RequestArgs,
  context: RequestContext,
  headers: Record<string, string>,
): Promise<Reply> {
  await endpoint.allow?.(context);
  const query = parseQuery(request, endpoint.query);
  const bytes = await readBody(request, endpoint.maxBytes);
  const body = parseJson(bytes);
  const { status, json } = await endpoint.handle(context, { request, params, query, body, bytes });
  return replyJson(status, json, Object.assign(headers, JSON_HEADERS));
}

async function remove(
  endpoint: NonNullable<Methods['DELETE']>,
  args: RequestArgs,
  context: RequestContext,
  headers: Record<string, string>,
): Promise<Reply> {
  await endpoint.allow?.(context);
  const json = await endpoint.handle(context, args);
  if (json) return replyJson(200, json, Object.assign(headers, JSON_HEADERS));
  return { status: 204, headers: { ...headers, 'cache-control': 'no-store' }, body: null };
}

const JSON_TYPE = 'application/json; charset=utf-8';
const JSON_HEADERS = { 'content-type': JSON_TYPE, 'cache-control': 'no-store' };

function replyJson(status: number, json: object, headers: Record<string, string>): Reply {
  const body = JSON.stringify(json);
  headers['content-length'] = String(Buffer.byteLength(body));
  return { status, headers, body };
}

/** @throws AppError `invalid_query` */
const parseQuery = ({ url }: EndpointRequest, schema: z.ZodType | undefined): unknown =>
  schema ? parse(schema, queryOf(url, schema), 'invalid_query') : {};

/** The known query parameters. Duplicates are refused, unknown parameters are ignored. */
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

function readBody(request: EndpointRequest, maxBytes: number): Promise<Uint8Array> {
  const length = request.header('content-length');
  if (length !== null && Number(length) > maxBytes) throw tooLarge(maxBytes);
  if (!/^application\/json\s*(?:;|$)/i.test(request.header('content-type') ?? ''))
    throw new AppError(
      'unsupported_media_type',
      'Send the body as JSON, with the header "Content-Type: application/json".',
    );
  return request.bytes(maxBytes);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeBody(bytes)) as unknown;
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
    'node=("@method" "@path" "@authority" "content-digest");created;nonce;keyid;tag="mesh-node"',
};
const AUTHENTICATE: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthorized: { 'www-authenticate': 'Bearer' },
  signature_invalid: SIGN,
  signature_required: SIGN,
};

/** An error as JSON. Keeps it in the context, for the log. */
export function errorReply(
  thrown: unknown,
  context: Pick<RequestContext, 'requestId' | 'error'>,
  headers: Record<string, string> = { 'x-request-id': context.requestId },
): Reply {
  const error = toAppError(thrown);
  context.error = error;
  return replyJson(
    ERROR_STATUS[error.code],
    errorBody(error, context.requestId),
    Object.assign(
      { ...headers },
      JSON_HEADERS,
      AUTHENTICATE[error.code],
      error.retryAfter === undefined ? undefined : { 'retry-after': String(error.retryAfter) },
    ),
  );
}
