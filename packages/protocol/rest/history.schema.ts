import { z } from 'zod';
import { NodeId, Timestamp } from './fields.schema.ts';
import { PEER_STATUSES, recordFrom } from '../values.schema.ts';

/** The wire format of GET /api/mesh/history. */

const HISTORY_DAYS = [1, 7, 30, 90] as const;
export type HistoryDays = (typeof HISTORY_DAYS)[number];

const DAYS_RULE = 'must be 1, 7, 30 or 90';
/** As a URL has it. */
const Days = z
  .enum(['1', '7', '30', '90'], DAYS_RULE)
  .transform((days) => Number(days) as HistoryDays)
  .default(1)
  .meta({
    override: { type: 'string', enum: ['1', '7', '30', '90'], default: '1' },
    description:
      'How many days: 1 and 7 in steps of a quarter of an hour, 30 and 90 in steps of a UTC day, the last one so far.',
    example: '7',
  });

export const HistoryQuery = z.object({
  node: NodeId.optional().meta({
    description: 'One node. Without it, the whole network.',
    example: 'node_macmini',
  }),
  days: Days,
});

/** As a typed client has it. */
export const HistoryDaysInput = z.literal([...HISTORY_DAYS], DAYS_RULE).default(1);

const Share = z.number().min(0).max(1).nullable();
const Uptime = z.object({ '24h': Share, '7d': Share, '30d': Share, '90d': Share }).meta({
  id: 'Uptime',
  description:
    'Shares from 0 to 1, up to `to`; null where nothing was measured. Of a node: of the measured quarters of an hour since it joined, those in which it was heard of. Of the network: of its nodes, those that weren’t offline.',
  example: { '24h': 1, '7d': 0.994048, '30d': 0.994048, '90d': 0.994048 },
});
export type Uptime = z.infer<typeof Uptime>;

const span = {
  updatedAt: Timestamp.meta({ description: 'The moment that this response describes: `to`.' }),
  stepSeconds: z
    .literal([900, 86_400])
    .meta({ description: 'The length of a step.', example: 900 }),
  from: Timestamp.meta({
    description: 'The start of the first step: history may begin later than asked for.',
  }),
  to: Timestamp.meta({ description: 'The end of the last recorded quarter of an hour.' }),
};

export const NodeStep = z
  .object({
    at: Timestamp.meta({ description: 'Its start.' }),
    online: z.boolean().meta({ description: 'Whether the node was heard of.' }),
    measured: z.boolean().meta({
      description: 'False if the service itself was away: whether the node was up isn’t known.',
    }),
    onlineSeconds: z.int().min(0).optional().meta({
      description: 'Only in steps of a day: measured quarters with a heartbeat.',
      example: 85_500,
    }),
    measuredSeconds: z.int().min(0).optional().meta({
      description: 'Only in steps of a day: measured quarters since the node joined.',
      example: 86_400,
    }),
  })
  .meta({
    id: 'NodeStep',
    example: { at: '2026-07-17T12:00:00.000Z', online: true, measured: true },
  });
export type NodeStep = z.infer<typeof NodeStep>;

export const NodeHistory = z
  .object({
    ...span,
    steps: z
      .array(NodeStep)
      .meta({ description: 'Without gaps, from the step in which the node joined.' }),
    uptime: Uptime,
  })
  .meta({ id: 'NodeHistory' });
export type NodeHistory = z.infer<typeof NodeHistory>;

const Count = z.int().min(0).nullable();
export const NetworkStep = z
  .object({
    at: Timestamp.meta({ description: 'Its start.' }),
    ...recordFrom(PEER_STATUSES, () => Count),
    joined: Count.meta({ description: 'Nodes that joined.' }),
    left: Count.meta({ description: 'Nodes that were removed or blocked.' }),
    freeSlots: Count.meta({ description: 'Free slots of available compute offers.' }),
  })
  .meta({
    id: 'NetworkStep',
    description:
      'The network at the end of a quarter of an hour. In steps of a day: the mean of its measured quarters; joined and left are sums. All null where the service was away.',
    example: {
      at: '2026-07-17T12:00:00.000Z',
      online: 480,
      syncing: 6,
      idle: 3,
      offline: 11,
      joined: 2,
      left: 0,
      freeSlots: 1210,
    },
  });
export type NetworkStep = z.infer<typeof NetworkStep>;

export const NetworkHistory = z
  .object({
    ...span,
    steps: z
      .array(NetworkStep)
      .meta({ description: 'Without gaps, from the first step ever recorded.' }),
    uptime: Uptime,
  })
  .meta({ id: 'NetworkHistory' });
export type NetworkHistory = z.infer<typeof NetworkHistory>;
