import { errors, read, type OpenApiPaths } from './parts.ts';
import { PublishedTruth } from '@mesh-registry/protocol/truth/truth.schema.ts';

export const truthPaths: OpenApiPaths = {
  '/api/truth': {
    get: {
      operationId: 'getTruth',
      tags: ['Mesh'],
      summary: 'Get the signed root and truth of the network',
      description:
        'The roots say whose signatures count, the truth which peers are banned and what the public log contains. Start from a root that you trust, not from this answer: each next root is signed by the keys of the one before, and the truth by the keys that the last root names.',
      responses: {
        ...read('The documents, byte for byte as they were signed.', PublishedTruth),
        ...errors('not_found'),
      },
    },
  },
};
