import {
  Announce,
  AnnounceAnswer,
  Computes,
  ComputesQuery,
} from '@mesh-registry/protocol/rest/computes.schema.ts';
import { ANNOUNCE_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import { LIMITS } from '../rate-limits.ts';
import {
  CREDENTIAL,
  errors,
  inWords,
  json,
  NODE_POST_ERRORS,
  read,
  type OpenApiPaths,
  sent,
} from './parts.ts';

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
        ...errors('invalid_query'),
      },
    },
    post: {
      operationId: 'announce',
      tags: ['Computes'],
      summary: 'Announce a node’s compute offers',
      description: `Either all offers are stored, or none. The body is at most ${ANNOUNCE_BODY_BYTES} bytes. Limits: ${inWords(LIMITS.node)} for each node, and for each client ${inWords(LIMITS.credential)} of wrong credentials and, by default, 5000 new compute offers an hour.`,
      security: CREDENTIAL,
      requestBody: { required: true, content: json(Announce) },
      responses: {
        '200': sent('Compute offers stored.', AnnounceAnswer),
        ...errors(...NODE_POST_ERRORS),
      },
    },
  },
};
