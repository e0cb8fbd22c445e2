import { z } from 'zod';
import { Timestamp } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { errors, type OpenApiPaths, read } from './parts.ts';

const Alive = z.object({ ok: z.literal(true) }).meta({ id: 'Alive', example: { ok: true } });

const Ready = z
  .object({
    ok: z.literal(true),
    database: z.enum(['up', 'down']),
    storage: z.enum(['ok', 'full']).meta({
      description: '`full`: the embedded database refuses writes until the disk has space again.',
    }),
    readModel: z.literal('loaded'),
    degraded: z.boolean().meta({
      description: 'The database is unavailable or behind; reads are answered from memory.',
    }),
    updatedAt: Timestamp.meta({ description: 'When memory last matched the database.' }),
  })
  .meta({ id: 'Ready' });

/** What operators ask. */
export const healthPaths: OpenApiPaths = {
  '/healthz': {
    get: {
      operationId: 'getHealth',
      tags: ['Health'],
      summary: 'Check that the process is alive',
      responses: { ...read('It is.', Alive), ...errors() },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      tags: ['Health'],
      summary: 'Check that the process can serve requests',
      description:
        'Stays 200 while the database is unavailable, with `degraded` set and reads from memory, so that a load balancer doesn’t remove all servers at once. 503 while the process starts or stops.',
      responses: { ...read('It can.', Ready), ...errors('unavailable') },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: ['Health'],
      summary: 'Get metrics for Prometheus',
      description: 'No label identifies a client.',
      responses: {
        '200': {
          description: 'The metrics of this process.',
          content: { 'text/plain; version=0.0.4': { schema: z.string() } },
        },
        ...errors(),
      },
    },
  },
};
