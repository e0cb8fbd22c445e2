import type { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { ERROR_STATUS, ErrorBody, type ErrorCode } from '#server/common/errors.schema.ts';

/** What the operations of the OpenAPI document are made of. Each domain describes its own. */

export type OpenApiPaths = Record<
  string,
  Partial<Record<'get' | 'post' | 'put' | 'delete', ZodOpenApiOperationObject>>
>;

export const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

/** The security requirement of what needs the network's secret, and the signature of a node that is pinned to a key. */
export const CREDENTIAL = [{ webhookSecret: [] }, { webhookSecret: [], nodeSignature: [] }];

/** The security requirement of what needs the signature of the node's key, and no secret. */
export const SIGNED = [{ nodeSignature: [] }];

/** The security requirement of what needs both. */
export const SIGNED_WITH_CREDENTIAL = [{ webhookSecret: [], nodeSignature: [] }];

/** The same operations of a service where the secret may be left out. */
export const withOptionalSecret = (paths: OpenApiPaths): OpenApiPaths =>
  mapValues(paths, (methods) =>
    mapValues(methods, ({ security, ...operation }) => ({
      ...operation,
      ...(security && { security: [...new Map(security.flatMap(orWithoutSecret)).values()] }),
    })),
  );

/** A requirement and the one without the secret, by their schemes: two may become the same. */
function orWithoutSecret(scheme: Requirement): [string, Requirement][] {
  const { webhookSecret: _, ...others } = scheme;
  return [scheme, others].map((each) => [Object.keys(each).join(), each]);
}

type Requirement = Record<string, string[]>;

const mapValues = <Key extends string, Value extends object>(
  object: { [K in Key]?: Value },
  map: (value: Value) => Value,
) =>
  Object.fromEntries(
    Object.entries<Value | undefined>(object).map(([key, value]) => [key, value && map(value)]),
  ) as Record<Key, Value>;

/** A rate limit in words: "600 per minute", "300 at once and 20 per second". */
export const inWords = ({ points, seconds }: { points: number; seconds: number }) =>
  seconds < 60
    ? `${points} at once and ${points / seconds} per second`
    : `${points} per ${seconds === 60 ? 'minute' : `${seconds / 60} minutes`}`;

const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string' as const },
  example,
});

/** A response with a body. */
export const sent = (description: string, schema: z.ZodType) => ({
  description,
  content: json(schema),
});

/** The responses of a GET that succeeds. */
export const read = (description: string, schema: z.ZodType): ZodOpenApiResponsesObject => ({
  '200': {
    description,
    headers: { ETag: header('Send it back in If-None-Match.', 'W/"5f0c.12.0.1784289790000"') },
    content: json(schema),
  },
  '304': { description: 'Not modified since the ETag in If-None-Match.' },
});

/** The errors of every request with a body. */
export const BODY_ERRORS = [
  'invalid_json',
  'invalid_body',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'unavailable',
  'storage_full',
] as const satisfies ErrorCode[];

/** The errors that a signature can lead to. */
export const SIGNATURE_ERRORS = ['signature_invalid', 'signature_required'] as const;

/** The errors that the POSTs of nodes can give. */
export const NODE_POST_ERRORS = [
  ...BODY_ERRORS,
  'reserved_node_id',
  'unauthorized',
  ...SIGNATURE_ERRORS,
  'blocked',
] as const;

const MEANING: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'The Host header, or the path, is not valid.',
  invalid_json: 'The body is not valid JSON.',
  invalid_body: 'A field of the body is invalid; `issues` names it.',
  invalid_query: 'A query parameter is invalid or given twice.',
  reserved_node_id: 'The node id "genesis" is reserved.',
  unauthorized: 'The credential is missing or wrong.',
  signature_invalid:
    'The signature, or the proof, is wrong, for another service, too old, was used before, or is by a key that a reviewer has revoked.',
  signature_required: 'The node id is pinned to a key, and the request is not signed by it.',
  blocked: 'Reviewers have blocked this node.',
  not_found: 'This does not exist.',
  method_not_allowed: 'The path does not support this method; see `Allow`.',
  name_taken: 'Another registration holds this name.',
  name_reserved: 'The name is reserved.',
  invalid_state:
    'The state of the registration, or of the node’s key, does not allow this, or the Idempotency-Key was used with another body.',
  payload_too_large: 'The body is too large.',
  unsupported_media_type: 'The content type is not application/json, or the body is compressed.',
  rate_limited: 'Too many requests; see `Retry-After`.',
  internal: 'An internal error.',
  unavailable: 'The database is unavailable; see `Retry-After`.',
  storage_full: 'The database has no disk space left; see `Retry-After`.',
};

const ERROR_HEADERS: Partial<Record<number, Record<string, ReturnType<typeof header>>>> = {
  401: { 'WWW-Authenticate': header('The authentication scheme: Bearer or Signature.', 'Bearer') },
  405: { Allow: header('The methods that the path supports.', 'GET, HEAD, OPTIONS') },
  429: { 'Retry-After': header('Seconds to wait.', '12') },
  503: { 'Retry-After': header('Seconds to wait.', '2') },
};

/** The error responses of an operation: these codes, and those that every operation can give. */
export function errors(...codes: readonly ErrorCode[]): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of ['invalid_request', ...codes, 'method_not_allowed', 'internal'] as ErrorCode[])
    byStatus.set(ERROR_STATUS[code], [...(byStatus.get(ERROR_STATUS[code]) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${MEANING[code]}`).join(' '),
        ...(ERROR_HEADERS[status] ? { headers: ERROR_HEADERS[status] } : {}),
        content: {
          'application/json': {
            schema: ErrorBody,
            examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
          },
        },
      },
    ]),
  );
}

const example = (code: ErrorCode) => ({
  ok: false,
  code,
  error: MEANING[code],
  requestId: '0c8f5a52-6d0c-4a6e-9f53-0b5c6f7f3f6e',
});
