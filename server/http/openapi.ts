import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Config } from '#server/config.ts';
import { LIMITS } from './rate-limits.ts';
import { fixedAnswer, type Answer } from '#server/live/index.ts';
import {
  Announce,
  AnnounceAnswer,
  Computes,
  ComputesQuery,
} from '#server/computes/computes.schema.ts';
import { ERROR_STATUS, ErrorBody, type ErrorCode } from '#server/common/errors.schema.ts';
import { Mesh, Ping, PingAnswer, PingDescription } from '#server/mesh/mesh.schema.ts';
import {
  Confirm,
  RegisterQuery,
  Registration,
  Start,
} from '#server/registration/register.schema.ts';
import { Availability, RegisterInfo, Registry } from '#server/registry/registry.schema.ts';
import {
  ANNOUNCE_BODY_BYTES,
  PING_BODY_BYTES,
  REGISTER_BODY_BYTES,
} from '#server/common/values.schema.ts';

/** The OpenAPI 3.1 document, made from the schemas that parse the requests. */

const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

const EXPLAINED: Partial<Record<ErrorCode, string>> = {
  invalid_json: 'The body is not JSON.',
  invalid_body: 'A field of the body is not valid; `issues` names it.',
  invalid_query: 'A query parameter is not valid or given twice.',
  reserved_node_id: 'The node id "genesis" is reserved.',
  unauthorized: 'The credential is missing or wrong.',
  blocked: 'Reviewers have blocked this node.',
  not_found: 'There is no such thing.',
  method_not_allowed: 'The path does not answer this method; see `Allow`.',
  name_taken: 'The name is held by another registration.',
  name_reserved: 'The name is reserved.',
  invalid_state:
    'The registration is in a state that does not allow it, or the Idempotency-Key came with another body.',
  payload_too_large: 'The body is too large.',
  unsupported_media_type: 'The content type is not application/json.',
  rate_limited: 'Too many requests; see `Retry-After`.',
  internal: 'A mistake on our side.',
  unavailable: 'The database is away; see `Retry-After`.',
};

const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string' as const },
  example,
});
const ERROR_HEADERS: Partial<Record<number, Record<string, ReturnType<typeof header>>>> = {
  401: { 'WWW-Authenticate': header('The scheme.', 'Bearer') },
  405: { Allow: header('The methods of the path.', 'GET, HEAD, OPTIONS') },
  429: { 'Retry-After': header('Seconds.', '12') },
  503: { 'Retry-After': header('Seconds.', '2') },
};

function errors(...codes: ErrorCode[]): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes, 'method_not_allowed', 'internal'] as ErrorCode[])
    byStatus.set(ERROR_STATUS[code], [...(byStatus.get(ERROR_STATUS[code]) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      String(status),
      {
        description: of.map((code) => `\`${code}\`: ${EXPLAINED[code]}`).join(' '),
        ...(ERROR_HEADERS[status] ? { headers: ERROR_HEADERS[status] } : {}),
        content: {
          'application/json': {
            schema: ErrorBody,
            examples: Object.fromEntries(
              of.map((code) => [
                code,
                {
                  value: {
                    ok: false,
                    code,
                    error: EXPLAINED[code],
                    requestId: '0c8f5a52-6d0c-4a6e-9f53-0b5c6f7f3f6e',
                  },
                },
              ]),
            ),
          },
        },
      },
    ]),
  );
}

const read = (description: string, schema: z.ZodType): ZodOpenApiResponsesObject => ({
  '200': {
    description,
    headers: { ETag: header('Send it back in If-None-Match.', 'W/"5f0c.12.0.1784289790000"') },
    content: json(schema),
  },
  '304': { description: 'Nothing changed since the ETag in If-None-Match.' },
});

const credential = [{ webhookSecret: [] }];
const perMinute = ({ points, seconds }: { points: number; seconds: number }) =>
  `${points} per ${seconds === 60 ? 'minute' : `${seconds / 60} minutes`}`;

const paths: Record<string, { get?: ZodOpenApiOperationObject; post?: ZodOpenApiOperationObject }> =
  {
    '/api/mesh': {
      get: {
        operationId: 'getMesh',
        tags: ['Mesh'],
        summary: 'Every peer, and the live health of Genesis',
        responses: { ...read('The mesh at one moment.', Mesh), ...errors() },
      },
    },
    '/api/mesh/ping': {
      get: {
        operationId: 'describePing',
        tags: ['Mesh'],
        summary: 'What a ping takes, for machines',
        responses: {
          ...read('Fields, filters, and the name of the header.', PingDescription),
          ...errors(),
        },
      },
      post: {
        operationId: 'ping',
        tags: ['Mesh'],
        summary: 'A node’s location-only heartbeat',
        description: `Answered after it is stored. Body at most ${PING_BODY_BYTES} bytes. At most ${perMinute(LIMITS.node)} of one node; wrong credentials at most ${perMinute(LIMITS.credential)} of one client.`,
        security: credential,
        requestBody: { required: true, content: json(Ping) },
        responses: {
          '200': { description: 'Stored.', content: json(PingAnswer) },
          '201': { description: 'Stored: the first ping of this node.', content: json(PingAnswer) },
          ...errors(
            'invalid_json',
            'invalid_body',
            'reserved_node_id',
            'unauthorized',
            'blocked',
            'payload_too_large',
            'unsupported_media_type',
            'rate_limited',
            'unavailable',
          ),
        },
      },
    },
    '/api/registry/computes': {
      get: {
        operationId: 'listComputes',
        tags: ['Computes'],
        summary: 'The compute directory: what is free, never where to connect',
        requestParams: { query: ComputesQuery },
        responses: { ...read('Every listed compute.', Computes), ...errors('invalid_query') },
      },
      post: {
        operationId: 'announce',
        tags: ['Computes'],
        summary: 'A host’s announce of its computes',
        description: `All rows are stored, or none. Body at most ${ANNOUNCE_BODY_BYTES} bytes. At most ${perMinute(LIMITS.node)} of one node; wrong credentials at most ${perMinute(LIMITS.credential)} of one client.`,
        security: credential,
        requestBody: { required: true, content: json(Announce) },
        responses: {
          '200': { description: 'Stored.', content: json(AnnounceAnswer) },
          ...errors(
            'invalid_json',
            'invalid_body',
            'reserved_node_id',
            'unauthorized',
            'blocked',
            'payload_too_large',
            'unsupported_media_type',
            'rate_limited',
            'unavailable',
          ),
        },
      },
    },
    '/api/registry/register': {
      get: {
        operationId: 'getRegister',
        tags: ['Registry'],
        summary: 'Fee and active names; or whether a name is free; or one registration',
        requestParams: { query: RegisterQuery },
        responses: {
          ...read(
            'Without a parameter RegisterInfo, with `name` Availability, with `id` Registration.',
            z.union([RegisterInfo, Availability, Registration]),
          ),
          ...errors('invalid_query', 'not_found', 'unavailable'),
        },
      },
      post: {
        operationId: 'register',
        tags: ['Registry'],
        summary: 'Start a registration, or confirm its payment',
        description: `Body at most ${REGISTER_BODY_BYTES} bytes. At most ${perMinute(LIMITS.registration)} of one client.`,
        requestParams: {
          header: z.object({
            'Idempotency-Key': z.string().min(1).max(255).optional().meta({
              description:
                'On start: a retry with the same key and body gives the first answer again, for a day. Make it random: who repeats it with the same body gets the same registration.',
              example: '5f1d7a90-9d59-4a0c-8f0e-6a4cf2a7c3f1',
            }),
          }),
        },
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: z.discriminatedUnion('action', [Start, Confirm]) },
          },
        },
        responses: {
          '200': { description: 'Confirmed: waiting for review.', content: json(Registration) },
          '201': { description: 'Started: waiting for payment.', content: json(Registration) },
          ...errors(
            'invalid_json',
            'invalid_body',
            'reserved_node_id',
            'not_found',
            'name_taken',
            'name_reserved',
            'invalid_state',
            'payload_too_large',
            'unsupported_media_type',
            'rate_limited',
            'unavailable',
          ),
        },
      },
    },
    '/api/registry': {
      get: {
        operationId: 'listRegistry',
        tags: ['Registry'],
        summary: 'Active names, and whether their node and compute are there now',
        responses: { ...read('Every active name, by name.', Registry), ...errors() },
      },
    },
  };

/** The document for each origin it is asked under, made once. Few: a client may name any host, so no more than this are kept. */
const MAX_ORIGINS = 16;

export function createOpenApi(config: Config): (origin: string) => Answer {
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Mesh Registry',
      version: '1.0.0',
      description:
        'Public mesh map, compute directory and name registry. Bodies are JSON; timestamps are ISO 8601 UTC with milliseconds. Reads need no credential; they carry an ETag and may be compressed. Every error has one shape.',
      license: { name: 'See the operator of this service', identifier: 'LicenseRef-operator' },
    },
    servers: [{ url: '/' }],
    security: [],
    tags: [
      { name: 'Mesh', description: 'Peers, heartbeats and Genesis.' },
      { name: 'Computes', description: 'Advertised capacity.' },
      { name: 'Registry', description: 'Public names.' },
    ],
    paths,
    components: {
      securitySchemes: {
        webhookSecret: {
          type: 'http',
          scheme: 'bearer',
          description: config.production
            ? 'The network’s shared secret (WEBHOOK_SECRET). Required.'
            : 'The network’s shared secret (WEBHOOK_SECRET). This service runs outside production: the header may be left out, but a wrong one is refused.',
        },
      },
    },
  });
  const answers = new Map<string, Answer>();
  return (origin) => {
    const known = answers.get(origin);
    if (known) return known;
    const answer = fixedAnswer(JSON.stringify({ ...document, servers: [{ url: origin }] }));
    if (answers.size < MAX_ORIGINS) answers.set(origin, answer);
    return answer;
  };
}
