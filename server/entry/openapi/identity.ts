import { z } from 'zod';
import { NodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import {
  errors,
  inWords,
  json,
  NODE_POST_ERRORS,
  read,
  SIGNED_WITH_CREDENTIAL,
  type OpenApiPaths,
} from './parts.ts';
import { LIMITS } from '../rate-limits.ts';
import { KeyRotation, NodeKeyAnswer } from '@mesh-registry/protocol/rest/identity.schema.ts';
import { KEY_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';

const requestParams = { path: z.object({ id: NodeId }) };

export const identityPaths: OpenApiPaths = {
  '/api/mesh/nodes/{id}/key': {
    get: {
      operationId: 'getNodeKey',
      tags: ['Mesh'],
      summary: 'Get the key of a node',
      description:
        'The public key to which the id is pinned: heartbeats, announcements and removals of this node have to be signed by it.',
      requestParams,
      responses: {
        ...read('The key, or null where the id is pinned to none.', NodeKeyAnswer),
        ...errors('not_found'),
      },
    },
    put: {
      operationId: 'rotateNodeKey',
      tags: ['Mesh'],
      summary: 'Replace the key of a node',
      description: `Signed by the key to which the node is pinned, with a proof by the new one. Registrations that the old key has proved follow. Once the new key is pinned, the same request signed by it changes nothing. The body is at most ${KEY_BODY_BYTES} bytes. Limits for each client: ${inWords(LIMITS.lookup)}, and ${inWords(LIMITS.credential)} with wrong credentials or signatures.`,
      security: SIGNED_WITH_CREDENTIAL,
      requestParams,
      requestBody: { required: true, content: json(KeyRotation) },
      responses: {
        '200': { description: 'The new key is pinned.', content: json(NodeKeyAnswer) },
        ...errors(
          ...NODE_POST_ERRORS.filter((code) => code !== 'blocked' && code !== 'reserved_node_id'),
          'invalid_state',
        ),
      },
    },
  },
};
