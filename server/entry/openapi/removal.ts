import { z } from 'zod';
import { NodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { CREDENTIAL, errors, inWords, type OpenApiPaths } from './parts.ts';
import { LIMITS } from '../rate-limits.ts';

export const removalPaths: OpenApiPaths = {
  '/api/mesh/nodes/{id}': {
    delete: {
      operationId: 'removeNode',
      tags: ['Mesh'],
      summary: 'Remove a node',
      description: `For the node’s operator. Stop the node first: one that still sends heartbeats comes back, as a new node. Removes the node with its compute offers and its history, at once and for good. Its names stay in the registry. Limits for each client: ${inWords(LIMITS.lookup)}, and ${inWords(LIMITS.credential)} with wrong credentials or signatures.`,
      security: CREDENTIAL,
      requestParams: { path: z.object({ id: NodeId }) },
      responses: {
        '204': { description: 'Removed. Repeated, the request is answered with 404.' },
        ...errors(
          'unauthorized',
          'signature_invalid',
          'signature_required',
          'blocked',
          'not_found',
          'rate_limited',
          'unavailable',
          'storage_full',
        ),
      },
    },
  },
};
