import { z } from 'zod';
import {
  NodeClass,
  NodeId,
  Region,
  SentLabel,
  SentNodeId,
  SentRegion,
  Timestamp,
  Total,
  Flag,
} from './fields.schema.ts';
import {
  recordFrom,
  GENESIS_STATUSES,
  NODE_CLASSES,
  PEER_STATUSES,
  UNKNOWN_REGION,
} from '../values.schema.ts';

/** The wire format of GET /api/mesh, GET /api/mesh/ping and POST /api/mesh/ping. */

/** An angle. @param max degrees on either side of zero */
const degrees = (max: number, example: number) =>
  z
    .number({
      error: ({ input }) =>
        typeof input === 'string' ? 'must be a number, not a string' : 'must be a number',
    })
    .min(-max, `must be from -${max} to ${max}`)
    .max(max, `must be from -${max} to ${max}`)
    .meta({ description: 'WGS84, degrees.', example });

export const Latitude = degrees(90, 37.5);
export const Longitude = degrees(180, -122.5);

/** Grid points have this many decimals, which removes float noise; grids are never finer than 0.1 degrees. */
const DECIMALS = 6;

function toGrid(value: number, grid: number, bound: number): number {
  const steps = Math.floor(bound / grid);
  const n = Math.min(steps, Math.max(-steps, Math.round(value / grid)));
  // "+ 0" turns -0 into 0.
  return Number((n * grid).toFixed(DECIMALS)) + 0;
}

/**
 * Rounds a position to the coordinate grid, before anything stores, logs or shows it.
 * @param grid degrees, 0.1 to 30
 * @returns the nearest grid point: latitude in [-90, 90], longitude in [-180, 180), because 180 and -180
 *   are the same meridian
 */
export function quantize(lat: number, lng: number, grid: number): { lat: number; lng: number } {
  // Before rounding too: a grid that does not divide 180 has no point at the date line.
  const meridian = toGrid(lng === 180 ? -180 : lng, grid, 180);
  return { lat: toGrid(lat, grid, 90), lng: meridian === 180 ? -180 : meridian };
}

export const PeerStatus = z.enum(PEER_STATUSES, 'must be online, syncing, idle or offline');

/** One thing that a node says of itself. */
interface NodeField {
  /** In the body of a heartbeat, which may leave it out. */
  sent: z.ZodOptional<z.ZodType>;
  /** What leaving it out means: the node is still what it said before, or it is `otherwise`. */
  merge: 'keep' | 'replace';
  /** In answers. */
  shown: z.ZodType;
  /** What the node with this id is until it says so. */
  otherwise: (id: string) => string;
}

/**
 * What a node says of itself, besides its id and its place, in the order of the wire. The schemas, the row that a
 * heartbeat writes, how it merges with the stored one, and what is shown of it come from here; each field has a column
 * of its name in `peers`, which is null until it is sent where `merge` is `keep`.
 */
export const NODE_FIELDS = {
  label: {
    sent: SentLabel.optional().meta({
      description:
        "At most 64 characters: letters and digits of any script, space and . _ - ' ( ) # & + , — markup is removed, and a label that looks like an address is dropped.",
      example: 'garage',
    }),
    merge: 'keep',
    shown: z.string().meta({ example: 'garage' }),
    otherwise: (id) => id,
  },
  class: {
    sent: NodeClass.optional(),
    merge: 'keep',
    shown: NodeClass,
    otherwise: () => 'S' as const,
  },
  region: {
    sent: SentRegion.optional().meta({
      description:
        'Region code. Without it, and without an earlier one, the continent of the rounded place, or ZZ where there is no land.',
      example: 'NA',
    }),
    merge: 'keep',
    shown: Region,
    // The service, which knows where land is, shows the region of the place.
    otherwise: () => UNKNOWN_REGION,
  },
  status: {
    sent: PeerStatus.optional().meta({ description: 'Default: online.' }),
    merge: 'replace',
    shown: z.enum(PEER_STATUSES),
    otherwise: () => 'online' as const,
  },
} as const satisfies Record<string, NodeField>;
export type NodeFieldName = keyof typeof NODE_FIELDS;
export const NODE_FIELD_NAMES = Object.keys(NODE_FIELDS) as NodeFieldName[];

/** The shape of an object with every field, as it is sent or as it is shown. */
const nodeFields = <Side extends 'sent' | 'shown'>(side: Side) =>
  Object.fromEntries(NODE_FIELD_NAMES.map((name) => [name, NODE_FIELDS[name][side]])) as {
    [Name in NodeFieldName]: (typeof NODE_FIELDS)[Name][Side];
  };

/**
 * The body of a heartbeat, once other keys and nested values have been dropped. The service cleans the
 * label.
 */
export const Ping = z
  .object(
    {
      nodeId: SentNodeId,
      lat: Latitude,
      lng: Longitude,
      ...nodeFields('sent'),
    },
    'must be a JSON object',
  )
  .meta({
    id: 'Ping',
    example: {
      nodeId: 'node_macmini',
      lat: 37.7,
      lng: -122.4,
      label: 'garage',
      class: 'M',
      region: 'NA',
    },
  });
export type Ping = z.infer<typeof Ping>;

/** The allowlist of a ping: all other keys are dropped, and listed in `dropped`. */
export const isPingField = (key: string): key is keyof Ping => Object.hasOwn(Ping.shape, key);

export const Peer = z
  .object({
    id: NodeId,
    ...nodeFields('shown'),
    role: z.literal('peer'),
    joinedAt: Timestamp,
    lastSeen: Timestamp,
    lat: Latitude,
    lng: Longitude,
  })
  .meta({ id: 'Peer' });
export type Peer = z.infer<typeof Peer>;

export const PingAnswer = z
  .object({
    ok: z.literal(true),
    isNew: z.boolean().meta({ description: 'True for the node’s first ping.' }),
    message: z.string().meta({ example: 'Welcome. You are on the map.' }),
    peer: Peer,
    dropped: z
      .array(z.string())
      .meta({ description: 'Keys of the body that were dropped.', example: ['ip', 'meta'] }),
    nextPingMs: z
      .int()
      .meta({ description: 'Milliseconds until the next ping is due.', example: 20000 }),
  })
  .meta({ id: 'PingAnswer' });
export type PingAnswer = z.infer<typeof PingAnswer>;

export const DryPingAnswer = PingAnswer.extend({
  dryRun: z.literal(true),
  isNew: z.boolean().meta({ description: 'Whether it would be the node’s first ping.' }),
  message: z.string().meta({ example: 'This heartbeat would be accepted. Nothing was stored.' }),
  peer: Peer.meta({ description: 'As it would be published.' }),
}).meta({ id: 'DryPingAnswer' });
export type DryPingAnswer = z.infer<typeof DryPingAnswer>;

export const PingQuery = z.object({
  dry: Flag('Check everything and store nothing: for a node that looks for its mistakes.'),
});

export const Genesis = z
  .object({
    id: z.literal('genesis'),
    label: z.string().meta({ example: 'Genesis' }),
    class: NodeClass,
    region: Region,
    role: z.literal('genesis'),
    status: z.enum(GENESIS_STATUSES),
    lat: Latitude,
    lng: Longitude,
    joinedAt: Timestamp.nullable(),
    lastSeen: Timestamp.nullable().meta({ description: 'End of the last successful check.' }),
    checkedAt: Timestamp.nullable().meta({ description: 'End of the last check.' }),
    latencyMs: z.int().min(0).nullable().meta({
      description: 'Duration of the last successful check, in milliseconds.',
      example: 42,
    }),
  })
  .meta({ id: 'Genesis' });
export type Genesis = z.infer<typeof Genesis>;

export const MeshStats = z
  .object({
    total: Total.meta({ description: 'All peers plus Genesis.' }),
    peers: Total,
    ...recordFrom(PEER_STATUSES, () => Total),
    byClass: z.object(recordFrom(NODE_CLASSES, () => Total)),
    byRegion: z.record(z.string(), Total),
  })
  .meta({
    id: 'MeshStats',
    description: 'online + syncing + idle + offline = peers, at the same moment as `peers`.',
    example: {
      total: 2,
      peers: 1,
      online: 1,
      syncing: 0,
      idle: 0,
      offline: 0,
      byClass: { S: 0, M: 1, L: 0 },
      byRegion: { NA: 1 },
    },
  });
export type MeshStats = z.infer<typeof MeshStats>;

export const RecentPing = z
  .object({
    id: NodeId,
    label: z.string().meta({ example: 'garage' }),
    lat: Latitude,
    lng: Longitude,
    at: Timestamp,
    isNew: z.boolean(),
  })
  .meta({ id: 'RecentPing' });
export type RecentPing = z.infer<typeof RecentPing>;

/** The response of GET /api/mesh without its lists. */
export const MeshHead = z.object({
  phase: z.string().meta({ description: 'Rollout label set by the operator.', example: '1' }),
  updatedAt: Timestamp.meta({ description: 'The moment that this response describes.' }),
  offlineAfterMs: z.int().meta({ example: 60000 }),
  stats: MeshStats,
  genesis: Genesis,
});
export type MeshHead = z.infer<typeof MeshHead>;

export const Mesh = MeshHead.extend({
  peers: z.array(Peer).meta({ description: 'All peers, ordered by joinedAt, then id.' }),
  recentPings: z
    .array(RecentPing)
    .meta({ description: 'Pings of the last 45 seconds, at most 24, newest first.' }),
}).meta({ id: 'Mesh' });
export type Mesh = z.infer<typeof Mesh>;

/** The head of the network by place: its totals are the sums over the places. */
export const PlacesHead = MeshHead.omit({ stats: true }).extend({
  genesisPlaced: z
    .boolean()
    .meta({ description: 'Whether the location of Genesis is configured; otherwise it is 0, 0.' }),
});
export type PlacesHead = z.infer<typeof PlacesHead>;

/** See {@link PlaceColumns}. */
export const Places = PlacesHead.extend({
  places: z.object({
    regions: z.array(z.tuple([Region, Total])),
    lat: z.array(z.number()),
    lng: z.array(z.number()),
    counts: z.array(z.array(Total)),
  }),
});
export type Places = z.infer<typeof Places>;

/** The answer to a removal that the key of the node has not signed. */
export const HiddenNode = z
  .object({
    ok: z.literal(true),
    nodeId: NodeId,
    hiddenAt: Timestamp.meta({
      description: 'Since when no list shows the node, nor its compute offers.',
    }),
    removedAt: Timestamp.meta({
      description:
        'When the node is removed with its history, unless it sends a heartbeat or an announcement before.',
      example: '2026-11-21T12:00:00.000Z',
    }),
  })
  .meta({ id: 'HiddenNode' });
export type HiddenNode = z.infer<typeof HiddenNode>;

export const PingDescription = z
  .object({
    ok: z.literal(true),
    endpoint: z.literal('POST /api/mesh/ping'),
    auth: z.object({
      header: z.literal('Authorization'),
      scheme: z.literal('Bearer'),
      required: z.boolean(),
    }),
    signature: z
      .object({
        covers: z.array(z.string()).meta({ example: ['@method', '@path', '@authority'] }),
        authority: z.string().nullable().meta({
          description:
            'Host and port that signatures have to name, those of `PUBLIC_URL`; null if it is not set.',
          example: 'mesh.example.org',
        }),
      })
      .meta({ description: 'What the optional signature of a node covers (RFC 9421).' }),
    maxBodyBytes: z.int().meta({ example: 4096 }),
    fields: z
      .record(z.string(), z.looseObject({ required: z.boolean(), type: z.string().optional() }))
      .meta({
        description: 'The fields of the body and their rules.',
        example: { lat: { required: true, type: 'number', minimum: -90, maximum: 90 } },
      }),
    filters: z.array(z.string()).meta({
      description: 'How a body is filtered before it is stored.',
      example: ['Nested values (objects and arrays) are dropped.'],
    }),
    schema: z.record(z.string(), z.unknown()).meta({
      description: 'JSON Schema of the body.',
      example: { type: 'object', required: ['nodeId', 'lat', 'lng'] },
    }),
    nextPingMs: z.int().meta({ example: 20000 }),
    offlineAfterMs: z.int().meta({ example: 60000 }),
  })
  .meta({ id: 'PingDescription' });
export type PingDescription = z.infer<typeof PingDescription>;
