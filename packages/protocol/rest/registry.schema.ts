import { z } from 'zod';
import {
  Kind,
  NAME_MAX,
  NAME_MIN,
  NAME_PATTERN,
  NodeClass,
  NodeId,
  Region,
  Timestamp,
  Total,
} from './fields.schema.ts';
import { COMPUTE_STATUSES, KINDS, NODE_CLASSES, PEER_STATUSES } from '../values.schema.ts';

/** The wire format of GET /api/registry, and of GET /api/registry/register without an id. */

export const UNAVAILABLE_REASONS = ['taken', 'reserved', 'invalid'] as const;

export const Availability = z
  .object({
    ok: z.literal(true),
    name: z
      .string()
      .meta({ description: 'The name as it would be registered.', example: 'garage' }),
    available: z.boolean(),
    reason: z.enum(UNAVAILABLE_REASONS).nullable(),
    message: z.string().meta({ example: 'garage is available.' }),
  })
  .meta({ id: 'Availability' });
export type Availability = z.infer<typeof Availability>;

export const DirectoryEntry = z
  .object({
    name: z.string().meta({ example: 'garage' }),
    label: z.string().meta({ example: 'garage' }),
    class: NodeClass,
    region: Region,
    kinds: z.array(Kind),
    activatedAt: Timestamp,
  })
  .meta({ id: 'DirectoryEntry' });
export type DirectoryEntry = z.infer<typeof DirectoryEntry>;

export const RegisterInfo = z
  .object({
    ok: z.literal(true),
    feeUsd: z.number().meta({ example: 5 }),
    cashtag: z.string().meta({ example: '$MeshDemo' }),
    payment: z.object({
      method: z.literal('cash_app'),
      cashtag: z.string().meta({ example: '$MeshDemo' }),
      feeUsd: z.number().meta({ example: 5 }),
      currency: z.literal('USD'),
      noteFormat: z.string().meta({ example: 'MESH-<name>-<6 characters>' }),
      instructions: z.array(z.string()).meta({
        description: 'How to pay, step by step.',
        example: ['Pay exactly the fee, with exactly the note.'],
      }),
    }),
    rules: z.object({
      name: z.object({ pattern: z.string(), minLength: z.int(), maxLength: z.int() }).meta({
        example: { pattern: NAME_PATTERN.source, minLength: NAME_MIN, maxLength: NAME_MAX },
      }),
      kinds: z.array(z.enum(KINDS)),
      classes: z.array(z.enum(NODE_CLASSES)),
      holdHours: z.number().meta({ example: 48 }),
    }),
    directory: z.array(DirectoryEntry).meta({ description: 'Active names, newest first.' }),
    counts: z.object({ active: Total, pending: Total }),
  })
  .meta({ id: 'RegisterInfo' });
export type RegisterInfo = z.infer<typeof RegisterInfo>;

export const RegistryEntry = DirectoryEntry.extend({
  nodeId: NodeId,
  node: z.object({ status: z.enum(PEER_STATUSES), lastSeen: Timestamp }).nullable(),
  compute: z
    .object({
      status: z.enum(COMPUTE_STATUSES),
      freeSlots: Total,
      replicas: Total,
      lastSeen: Timestamp,
    })
    .nullable(),
}).meta({ id: 'RegistryEntry' });
export type RegistryEntry = z.infer<typeof RegistryEntry>;

export const RegistryStats = z.object({
  active: Total,
  nodes: Total.meta({ description: 'Active names of kind node.' }),
  computes: Total.meta({ description: 'Active names of kind compute.' }),
  nodesOnline: Total.meta({ description: 'Entries whose node is online now.' }),
  computesAvailable: Total.meta({ description: 'Entries whose compute is available now.' }),
});
export type RegistryStats = z.infer<typeof RegistryStats>;

export const Registry = z
  .object({
    ok: z.literal(true),
    updatedAt: Timestamp,
    count: Total,
    stats: RegistryStats,
    entries: z.array(RegistryEntry).meta({ description: 'All active names, by name.' }),
  })
  .meta({ id: 'Registry' });
export type Registry = z.infer<typeof Registry>;
