import { z } from 'zod';
import { REGISTER_BODY_BYTES } from './values.schema.ts';
import { errors, inWords, json, read, type OpenApiPaths } from '#server/http/openapi-parts.ts';
import { LIMITS } from '#server/http/rate-limits.ts';
import { Availability, RegisterInfo } from '#server/registry/registry.schema.ts';
import { Cancel, Confirm, RegisterQuery, Registration, Start } from './register.schema.ts';

export const registrationPaths: OpenApiPaths = {
  '/api/registry/register': {
    get: {
      operationId: 'getRegister',
      tags: ['Registry'],
      summary: 'Get the fee and the active names, check a name, or follow a registration',
      description: `With \`id\`: ${inWords(LIMITS.lookup)} for each client.`,
      requestParams: { query: RegisterQuery },
      responses: {
        ...read(
          'RegisterInfo without a parameter, Availability with `name`, Registration with `id`.',
          z.union([RegisterInfo, Availability, Registration]),
        ),
        ...errors('invalid_query', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
    post: {
      operationId: 'register',
      tags: ['Registry'],
      summary: 'Start a registration, confirm its payment, or cancel it',
      description: `The body is at most ${REGISTER_BODY_BYTES} bytes. Limits: ${inWords(LIMITS.registration)} for each client; and of registrations that are unpaid or wait for review, by default 20 for each client and 5 for each node.`,
      requestParams: {
        header: z.object({
          'Idempotency-Key': z.string().min(1).max(255).optional().meta({
            description:
              'For `start`: a retry with the same key and body within a day gets the first response again. Use a random key: anyone who sends it with the same body gets the same registration.',
            example: '5f1d7a90-9d59-4a0c-8f0e-6a4cf2a7c3f1',
          }),
        }),
      },
      requestBody: {
        required: true,
        content: json(z.discriminatedUnion('action', [Start, Confirm, Cancel])),
      },
      responses: {
        '200': {
          description:
            'Payment reported: the registration waits for review. Or cancelled: it is rejected, and its name is free at once, also if it was active.',
          content: json(Registration),
        },
        '201': {
          description: 'Registration started: it waits for payment.',
          content: json(Registration),
        },
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
};
