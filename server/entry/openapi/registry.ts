import { z } from 'zod';
import {
  Announce,
  AnnounceAnswer,
  Computes,
  ComputesQuery,
} from '@mesh-registry/protocol/rest/computes.schema.ts';
import { NodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import {
  AnswerQuestion,
  Cancel,
  Claim,
  Confirm,
  NodeRegistrations,
  RegisterQuery,
  Registration,
  Start,
  StartHeaders,
} from '@mesh-registry/protocol/rest/register.schema.ts';
import {
  Availability,
  RegisterInfo,
  Registry,
} from '@mesh-registry/protocol/rest/registry.schema.ts';
import { REGISTER_BODY_BYTES, ANNOUNCE_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import { LIMITS } from '../rate-limits.ts';
import {
  BODY_ERRORS,
  errors,
  inWords,
  json,
  read,
  SIGNATURE_ERRORS,
  SIGNED,
  sent,
  CREDENTIAL,
  NODE_POST_ERRORS,
  type OpenApiPaths,
} from './parts.ts';

export const namesPaths: OpenApiPaths = {
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
      summary:
        'Start a registration, confirm its payment, cancel it, or answer a question about it',
      description: `The body is at most ${REGISTER_BODY_BYTES} bytes. Limits: ${inWords(LIMITS.registration)} for each client; of starts, by default 100 a day for each client; and of registrations that are unpaid or wait for review, by default 20 for each client, 5 of them for one node. What the key of a running or pinned node proves counts for that node alone. With a \`proof\`, the registration is proved by the key of its node, and its acceptance pins the node’s id to that key. Once its payment is reported, a proved registration is cancelled only with a proof by its key. A reviewer may ask about a registration while it waits for review: its \`questions\` then say what, and \`answer\` adds an answer, of at most 10 to each. The same text again is the same answer; once it is decided, another one is \`invalid_state\`. Whoever has the \`id\` can read both.`,
      requestParams: {
        header: StartHeaders.partial(),
      },
      requestBody: {
        required: true,
        content: json(z.discriminatedUnion('action', [Start, Confirm, AnswerQuestion, Cancel])),
      },
      responses: {
        '200': sent(
          'Payment reported: the registration waits for review. Or cancelled: it is rejected, and its name is free at once, also if it was active. Or answered.',
          Registration,
        ),
        '201': sent('Registration started: it waits for payment.', Registration),
        ...errors(
          ...BODY_ERRORS,
          ...SIGNATURE_ERRORS,
          'reserved_node_id',
          'not_found',
          'name_taken',
          'name_reserved',
          'invalid_state',
        ),
      },
    },
  },
  '/api/mesh/nodes/{id}/registrations': {
    get: {
      operationId: 'getNodeRegistrations',
      tags: ['Registry'],
      summary: 'Get the registrations that a node’s key has proved',
      description: `With the key, losing a link doesn’t lose the name. Other nodes’ registrations are never included. ${inWords(LIMITS.lookup)} for each client.`,
      security: SIGNED,
      requestParams: { path: z.object({ id: NodeId }) },
      responses: {
        '200': sent('OK', NodeRegistrations),
        ...errors(...SIGNATURE_ERRORS, 'rate_limited', 'unavailable'),
      },
    },
    post: {
      operationId: 'claimRegistration',
      tags: ['Registry'],
      summary: 'Prove a registration by the node’s key',
      description: `For one that was started without the key, such as in a browser. The first key that proves a registration counts, unless the node is pinned. Accepting the registration pins the node’s id to the key; if its name is active already, the id is pinned once the key has proved all active names of the node. Repeated, the request changes nothing. ${inWords(LIMITS.registration)} for each client, together with POST /api/registry/register.`,
      security: SIGNED,
      requestParams: { path: z.object({ id: NodeId }) },
      requestBody: { required: true, content: json(Claim) },
      responses: {
        '200': sent('Proved.', Registration),
        ...errors(...BODY_ERRORS, ...SIGNATURE_ERRORS, 'not_found', 'invalid_state'),
      },
    },
  },
  '/api/registry': {
    get: {
      operationId: 'listRegistry',
      tags: ['Registry'],
      summary: 'List active names, with the status of their node and compute offer',
      responses: {
        ...read('All active names, in alphabetical order.', Registry),
        ...errors('rate_limited'),
      },
    },
  },
};

export const computesPaths: OpenApiPaths = {
  '/api/registry/computes': {
    get: {
      operationId: 'listComputes',
      tags: ['Computes'],
      summary: 'List compute offers',
      description: 'Available capacity by node. Connection details are never listed.',
      requestParams: { query: ComputesQuery },
      responses: {
        ...read('All listed compute offers that match.', Computes),
        ...errors('invalid_query', 'rate_limited'),
      },
    },
    post: {
      operationId: 'announce',
      tags: ['Computes'],
      summary: 'Announce a node’s compute offers',
      description: `All offers are stored, or none. The body is at most ${ANNOUNCE_BODY_BYTES} bytes. Limits: ${inWords(LIMITS.node)} for each node, and for each client ${inWords(LIMITS.credential)} of wrong credentials and, by default, 5000 new compute offers an hour.`,
      security: CREDENTIAL,
      requestBody: { required: true, content: json(Announce) },
      responses: {
        '200': sent('Compute offers stored.', AnnounceAnswer),
        ...errors(...NODE_POST_ERRORS),
      },
    },
  },
};
