import { z } from 'zod';
import { boundedText } from '../text.schema.ts';
import { NodeId, Region, Timestamp } from './fields.schema.ts';
import { Latitude, Longitude } from './mesh.schema.ts';
import { OUTAGE_AFTER_MS, PEER_STATUSES, recordFrom } from '../values.schema.ts';

/** The wire format of GET /api/mesh/history and GET /api/mesh/history/places. */

const HISTORY_DAYS = [1, 7, 30, 90] as const;
export type HistoryDays = (typeof HISTORY_DAYS)[number];

const PLACE_HISTORY_DAYS = [1, 90] as const;
export type PlaceHistoryDays = (typeof PLACE_HISTORY_DAYS)[number];

const DAYS_RULE = 'must be 1, 7, 30 or 90';

/** A number of days as a URL has it; 1 if it is left out. */
function daysOf<Days extends number>(
  allowed: readonly [1, ...Days[]],
  rule: string,
  meta: { description: string; example: string },
) {
  const texts = allowed.map(String);
  return z
    .enum(texts, rule)
    .transform((days) => Number(days) as 1 | Days)
    .default(1)
    .meta({ override: { type: 'string', enum: texts, default: '1' }, ...meta });
}

export const HistoryQuery = z.object({
  node: NodeId.optional().meta({
    description: 'One node. Without it, the whole network.',
    example: 'node_macmini',
  }),
  days: daysOf(HISTORY_DAYS, DAYS_RULE, {
    description:
      'How many days: 1 and 7 in steps of a quarter of an hour, 30 and 90 in steps of a UTC day, the last one so far.',
    example: '7',
  }),
});

const STEP_RULE = 'must be the start of a step, such as 2026-07-17T12:00:00.000Z';

export const PlaceHistoryQuery = z.object({
  days: daysOf(PLACE_HISTORY_DAYS, 'must be 1 or 90', {
    description:
      '1: the last 24 hours in steps of a quarter of an hour. 90: in steps of a UTC day.',
    example: '90',
  }),
  at: boundedText(32, STEP_RULE).check(z.iso.datetime(STEP_RULE)).optional().meta({
    description: 'The start of one step: where the nodes were. Without it, the list of steps.',
    example: '2026-07-17T12:00:00.000Z',
  }),
});

/** As a typed client has it. */
export const HistoryDaysInput = z.literal([...HISTORY_DAYS], DAYS_RULE).default(1);

/** Null where nothing was measured. */
const Share = z.number().min(0).max(1).nullable();
const Uptime = z.object({ '24h': Share, '7d': Share, '30d': Share, '90d': Share }).meta({
  id: 'Uptime',
  description:
    'Shares from 0 to 1, up to `to`; null where nothing was measured. Of a node: of the measured quarters of an hour since it joined, those in which it sent heartbeats. Of the network: of its nodes, those that weren’t offline.',
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
      description: 'False if the service itself was down, so the node’s state isn’t known.',
    }),
    onlineSeconds: z.int().min(0).optional().meta({
      description: 'Only in steps of a day: measured quarters with a heartbeat.',
      example: 85_500,
    }),
    measuredSeconds: z.int().min(0).optional().meta({
      description: 'Only in steps of a day: measured quarters since the node joined.',
      example: 86_400,
    }),
    offlineSeconds: z.int().min(0).nullable().optional().meta({
      description:
        'Only in steps of a day: how much of it is within outages, without what was not measured; null if nothing was.',
      example: 2520,
    }),
  })
  .meta({
    id: 'NodeStep',
    example: { at: '2026-07-17T12:00:00.000Z', online: true, measured: true },
  });
export type NodeStep = z.infer<typeof NodeStep>;

const OUTAGE_MINUTES = OUTAGE_AFTER_MS / 60_000;
const Outage = z
  .object({
    from: Timestamp.meta({ description: 'The last heartbeat before it.' }),
    to: Timestamp.nullable().meta({
      description:
        'The first heartbeat after it; null if there was none by the end of this history.',
    }),
  })
  .meta({
    id: 'Outage',
    description: `A time without a heartbeat, of at least ${OUTAGE_MINUTES} minutes. A restart of the service isn’t one.`,
    example: { from: '2026-07-17T12:04:10.000Z', to: '2026-07-17T12:46:10.000Z' },
  });

export const NodeHistory = z
  .object({
    ...span,
    steps: z
      .array(NodeStep)
      .meta({ description: 'Without gaps, from the step in which the node joined.' }),
    outages: z.array(Outage).meta({
      description:
        'All that lasted at some time between `from` and `to`, the newest first. The last one may have begun before `from`.',
    }),
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
      'The network at the end of a quarter of an hour. In steps of a day: the mean of its measured quarters; joined and left are sums. All null while the service was down.',
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

export const PlaceStep = z
  .object({
    at: Timestamp.meta({ description: 'Its start.' }),
    nodes: Count.meta({
      description: 'Nodes that sent a heartbeat in it; null if it was not measured.',
      example: 9800,
    }),
    places: Count.meta({
      description: 'Places with such nodes; null if it was not measured.',
      example: 3120,
    }),
  })
  .meta({ id: 'PlaceStep' });
export type PlaceStep = z.infer<typeof PlaceStep>;

export const PlaceHistory = z
  .object({
    ...span,
    steps: z
      .array(PlaceStep)
      .meta({ description: 'Without gaps; the last day is the day so far.' }),
  })
  .meta({ id: 'PlaceHistory' });
export type PlaceHistory = z.infer<typeof PlaceHistory>;

/** Columns of the same length: the n-th elements belong together. */
const StepPlaces = z.object({
  lat: z.array(Latitude),
  lng: z.array(Longitude),
  region: z.array(Region),
  nodes: z.array(z.int().min(1)),
});
export type StepPlaces = z.infer<typeof StepPlaces>;

export const PlacesAtStep = z
  .object({
    at: Timestamp.meta({ description: 'The start of the step.' }),
    stepSeconds: z.literal([900, 86_400]).meta({ description: 'Its length.', example: 900 }),
    nodes: z.int().min(0).meta({ description: 'Nodes that sent a heartbeat in it.', example: 3 }),
    places: StepPlaces.meta({
      description:
        'Where they were, in columns: the n-th elements of all four belong together. Coordinates are rounded as everywhere.',
      example: { lat: [48, 37.5], lng: [11.5, -122.5], region: ['EU', 'NA'], nodes: [2, 1] },
    }),
  })
  .meta({ id: 'PlacesAtStep' });
export type PlacesAtStep = z.infer<typeof PlacesAtStep>;
