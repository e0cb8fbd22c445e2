import { z } from 'zod';
import {
  Kind,
  Name,
  NAME_MAX,
  NAME_MIN,
  NAME_PATTERN,
  NodeClass,
  NodeId,
  Region,
  Timestamp,
  Total,
} from '#server/common/fields.schema.ts';
import {
  COMPUTE_STATUSES,
  KINDS,
  NODE_CLASSES,
  PEER_STATUSES,
  REGISTRATION_STATUSES,
} from '#server/common/values.schema.ts';

/** The wire format of /api/registry and /api/registry/register. */

export const REGISTRATION_ID_PATTERN = /^reg_[A-Za-z0-9_-]{22,64}$/;

export const RegistrationStatus = z.enum(REGISTRATION_STATUSES);

export const RegistrationId = z
  .string('must be a string')
  .max(128, 'must be at most 128 characters')
  .meta({
    description: 'Secret: anyone who has it can see and confirm the registration.',
    example: 'reg_4k7XQ2m9VbT0cRfJ8wYhLd',
  });

export const Start = z
  .object(
    {
      action: z.literal('start'),
      name: Name,
      label: z.string('must be a string').optional().meta({
        description: 'Display label, by the same rules as in a ping. Default: the name.',
        example: 'garage',
      }),
      class: NodeClass.default('S'),
      region: Region.default('ZZ'),
      nodeId: NodeId,
      kinds: z
        .array(Kind, 'must be an array of node and compute')
        .min(1, 'must have node, compute or both')
        .max(KINDS.length, 'must have node, compute or both')
        .refine((kinds) => new Set(kinds).size === kinds.length, 'must not repeat a kind')
        .meta({ example: ['node', 'compute'] }),
    },
    'must be a JSON object',
  )
  .meta({
    id: 'Start',
    example: {
      action: 'start',
      name: 'garage',
      label: 'garage',
      class: 'M',
      region: 'NA',
      nodeId: 'node_macmini',
      kinds: ['node', 'compute'],
    },
  });
export type Start = z.infer<typeof Start>;

export const Confirm = z
  .object(
    {
      action: z.literal('confirm'),
      id: RegistrationId,
      cashConfirm: z
        .string('must be a string')
        .max(128, 'must be at most 128 characters')
        .optional()
        .meta({
          description: 'Confirmation text from the payment app, for the reviewer.',
          example: '#D-7Q2M41',
        }),
    },
    'must be a JSON object',
  )
  .meta({
    id: 'Confirm',
    example: { action: 'confirm', id: 'reg_4k7XQ2m9VbT0cRfJ8wYhLd', cashConfirm: '#D-7Q2M41' },
  });
export type Confirm = z.infer<typeof Confirm>;

export const RegisterBody = z.discriminatedUnion('action', [Start, Confirm], {
  error: (issue) =>
    issue.code === 'invalid_union' ? 'must be start or confirm' : 'must be a JSON object',
});
export type RegisterBody = z.infer<typeof RegisterBody>;

export const Registration = z
  .object({
    ok: z.literal(true),
    id: RegistrationId,
    name: z.string().meta({ example: 'garage' }),
    label: z.string().meta({ example: 'garage' }),
    class: NodeClass,
    region: Region,
    nodeId: NodeId,
    kinds: z.array(Kind),
    status: RegistrationStatus,
    paymentNote: z.string().meta({
      description: 'Attach exactly this note to the payment.',
      example: 'MESH-garage-7K3QFA',
    }),
    feeUsd: z.number().meta({ example: 5 }),
    payUrl: z.url().meta({ example: 'https://cash.app/$MeshDemo/5.00?note=MESH-garage-7K3QFA' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    expiresAt: Timestamp.meta({ description: 'Until then the unpaid name is reserved.' }),
    rejectionReason: z.string().nullable(),
  })
  .meta({ id: 'Registration' });
export type Registration = z.infer<typeof Registration>;

export const RegisterQuery = z
  .object({
    name: z
      .string()
      .max(256, 'must be at most 256 characters')
      .optional()
      .meta({ description: 'Checks whether this name is available.', example: 'garage' }),
    id: z.string().max(128, 'must be at most 128 characters').optional().meta({
      description: 'Returns this registration.',
      example: 'reg_4k7XQ2m9VbT0cRfJ8wYhLd',
    }),
  })
  .refine(({ name, id }) => name === undefined || id === undefined, {
    path: ['id'],
    message: 'must not be combined with name',
  });
export type RegisterQuery = z.infer<typeof RegisterQuery>;

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
