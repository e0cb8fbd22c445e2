import { errors, read, type OpenApiPaths } from './parts.ts';
import { Registry } from '@mesh-registry/protocol/rest/registry.schema.ts';

export const registryPaths: OpenApiPaths = {
  '/api/registry': {
    get: {
      operationId: 'listRegistry',
      tags: ['Registry'],
      summary: 'List active names, with the status of their node and compute offer',
      responses: { ...read('All active names, in alphabetical order.', Registry), ...errors() },
    },
  },
};
