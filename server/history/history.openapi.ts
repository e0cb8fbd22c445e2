import { z } from 'zod';
import { errors, inWords, read, type OpenApiPaths } from '#server/http/openapi-parts.ts';
import { LIMITS } from '#server/http/rate-limits.ts';
import { HistoryQuery, NetworkHistory, NodeHistory } from './history.schema.ts';

export const historyPaths: OpenApiPaths = {
  '/api/mesh/history': {
    get: {
      operationId: 'getHistory',
      tags: ['Mesh'],
      summary: 'Get the history of the network, or of one node',
      description: `Recorded a few seconds after the end of each quarter of an hour, in UTC, and kept for 90 days. A quarter in which the service itself was away for more than a minute is not measured, and counts for nobody. Limit with \`node\`: ${inWords(LIMITS.lookup)} for each client.`,
      requestParams: { query: HistoryQuery },
      responses: {
        ...read(
          'With `node`, the history of that node; without, of the network.',
          z.union([NetworkHistory, NodeHistory]),
        ),
        ...errors('invalid_query', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
  },
};
