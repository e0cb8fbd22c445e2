import { z } from 'zod';
import {
  PlaceHistory,
  PlaceHistoryQuery,
  PlacesAtStep,
  HistoryQuery,
  NetworkHistory,
  NodeHistory,
} from '@mesh-registry/protocol/rest/history.schema.ts';
import { LIMITS } from '../rate-limits.ts';
import { errors, inWords, read, type OpenApiPaths } from './parts.ts';

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
  '/api/mesh/history/places': {
    get: {
      operationId: 'getPlaceHistory',
      tags: ['Mesh'],
      summary: 'Get where nodes were heard of',
      description: `The network by place, in steps of a quarter of an hour for the last 24 hours, or of a UTC day for 90 days. A node counts in a quarter if it was heard of in it; in a day, if it was heard of at any time of it, at its last location. Steps in which the service was away are null. The places of a step that is over never change, so they may be kept for a day. Limit with \`at\`: ${inWords(LIMITS.lookup)} for each client.`,
      requestParams: { query: PlaceHistoryQuery },
      responses: {
        ...read(
          'With `at`, the places of that step; without, the list of steps.',
          z.union([PlaceHistory, PlacesAtStep]),
        ),
        ...errors('invalid_query', 'not_found', 'rate_limited', 'unavailable'),
      },
    },
  },
};
