import { z } from 'zod';
import { PING_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import {
  CREDENTIAL,
  errors,
  inWords,
  json,
  NODE_POST_ERRORS,
  read,
  type OpenApiPaths,
} from './parts.ts';
import { LIMITS } from '../rate-limits.ts';
import {
  DryPingAnswer,
  Mesh,
  Ping,
  PingAnswer,
  PingDescription,
  PingQuery,
} from '@mesh-registry/protocol/rest/mesh.schema.ts';

export const meshPaths: OpenApiPaths = {
  '/api/mesh': {
    get: {
      operationId: 'getMesh',
      tags: ['Mesh'],
      summary: 'List all peers, with the live health of Genesis',
      responses: { ...read('All peers at one moment.', Mesh), ...errors() },
    },
  },
  '/api/mesh/ping': {
    get: {
      operationId: 'describePing',
      tags: ['Mesh'],
      summary: 'Describe the heartbeat for machines',
      responses: {
        ...read('Fields, filters and the name of the authentication header.', PingDescription),
        ...errors(),
      },
    },
    post: {
      operationId: 'ping',
      tags: ['Mesh'],
      summary: 'Send a node’s heartbeat',
      description: `Location only. The response is sent once the heartbeat is stored. The body is at most ${PING_BODY_BYTES} bytes. Limits: ${inWords(LIMITS.node)} for each node, and for each client ${inWords(LIMITS.credential)} of wrong credentials or signatures and, by default, 2000 new nodes an hour.`,
      security: CREDENTIAL,
      requestParams: { query: PingQuery },
      requestBody: { required: true, content: json(Ping) },
      responses: {
        '200': {
          description: 'Heartbeat received. DryPingAnswer with `dry`: it would be.',
          content: json(z.union([PingAnswer, DryPingAnswer])),
        },
        '201': {
          description: 'Heartbeat received. It is the first one of this node.',
          content: json(PingAnswer),
        },
        ...errors('invalid_query', ...NODE_POST_ERRORS),
      },
    },
  },
};
