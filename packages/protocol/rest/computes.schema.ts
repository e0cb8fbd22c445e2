import { z } from 'zod';
import { boundedText } from '../text.schema.ts';
import { containsIpAddress } from './ip-address.schema.ts';
import {
  Name,
  NodeClass,
  NodeId,
  SentLabel,
  SentNodeId,
  Timestamp,
  Total,
  Flag,
} from './fields.schema.ts';
import { COMPUTE_STATUSES, UNLISTED_REASONS, VISIBILITIES } from '../values.schema.ts';

/** The wire format of GET and POST /api/registry/computes. */

export const MAX_COMPUTES = 256;

/** An `@`, or a word before a slash with a colon that no port follows: `user:password/…`. */
const USER_OR_PASSWORD = /@|[^\s/:]:(?!\d{1,5}\/)[^\s/:]+\//u;
const OCI_DIGEST = /@sha256:[0-9a-f]{64}$/;
/**
 * An OCI reference (`ghcr.io/acme/model:1.2@sha256:…`) or a plain label (`Llama 3 70B`). It must not reveal
 * where or how to connect: no scheme, no user or password, no IP address.
 */
const Image = boundedText(255)
  .regex(/^[\p{L}\p{M}\p{Nd} ._\-'()#&+,/:@]*$/u, 'must be an OCI reference or a plain label')
  .refine(
    (image) => !/:\s*\/|^\s*\/\/|\b(?:java|vb)script\s*:|\bdata\s*:\s*[a-z]+\//iu.test(image),
    'must not include a scheme such as https://',
  )
  .refine(
    (image) => !USER_OR_PASSWORD.test(image.replace(OCI_DIGEST, '')),
    'must not include a user or password',
  )
  .refine(
    (image) => !containsIpAddress(image.replace(OCI_DIGEST, '')),
    'must not include an IP address',
  )
  .meta({
    description: 'OCI reference or plain label. It grants no permission to pull the image.',
    example: 'ghcr.io/acme/llama:3.1',
  });

const whole = (max: number) =>
  z
    .int('must be a whole number')
    .min(0, `must be from 0 to ${max}`)
    .max(max, `must be from 0 to ${max}`);

export const Visibility = z.enum(VISIBILITIES, 'must be public or private');

const BACKEND_RULE = 'must be 1 to 32 characters: a-z, 0-9, -, . and _';

export const Backend = boundedText(32, BACKEND_RULE)
  .regex(/^[a-z0-9._-]{1,32}$/, BACKEND_RULE)
  .refine((backend) => !containsIpAddress(backend), 'must not include an IP address')
  .meta({ description: 'Name of the workload backend.', example: 'docker' });

export const AnnouncedCompute = z
  .object(
    {
      name: Name,
      image: Image.default(''),
      visibility: Visibility.default('private').meta({
        description:
          'Who may ask to use it. Private offers are in the public directory too, marked as private. Without it, the response has a notice.',
        example: 'public',
      }),
      class: NodeClass.default('S'),
      backend: Backend.default('docker'),
      replicas: whole(100_000).meta({ description: 'Configured replicas.', example: 4 }),
      freeSlots: whole(1_000_000).meta({ description: 'Free units of work.', example: 2 }),
    },
    'must be an object',
  )
  .meta({ id: 'AnnouncedCompute' });
export type AnnouncedCompute = z.infer<typeof AnnouncedCompute>;

/** A refinement of a list of offers: each has a name of its own. @param fault what is wrong with the second one */
export const eachNameOnce =
  (fault: (name: string) => string) =>
  (offers: readonly { name: string }[], context: z.RefinementCtx): void => {
    const seen = new Set<string>();
    for (const [at, { name }] of offers.entries()) {
      if (seen.has(name))
        context.addIssue({ code: 'custom', path: [at, 'name'], message: fault(name) });
      seen.add(name);
    }
  };

export const Announce = z
  .object(
    {
      nodeId: SentNodeId,
      label: SentLabel.optional().meta({
        description: 'Display label of the node, by the same rules as in a ping.',
        example: 'garage',
      }),
      computes: z
        .array(AnnouncedCompute, 'must be an array')
        .min(1, `must have 1 to ${MAX_COMPUTES} elements`)
        .max(MAX_COMPUTES, `must have 1 to ${MAX_COMPUTES} elements`)
        .superRefine(eachNameOnce((name) => `is a duplicate: ${name}`)),
    },
    'must be a JSON object',
  )
  .meta({
    id: 'Announce',
    example: {
      nodeId: 'node_macmini',
      label: 'garage',
      computes: [
        {
          name: 'garage',
          image: 'ghcr.io/acme/llama:3.1',
          visibility: 'public',
          class: 'M',
          backend: 'docker',
          replicas: 4,
          freeSlots: 2,
        },
      ],
    },
  });
export type Announce = z.infer<typeof Announce>;

export const Compute = z
  .object({
    id: z.string().meta({ description: '<nodeId>:<name>', example: 'node_macmini:garage' }),
    name: z.string().meta({ example: 'garage' }),
    nodeId: NodeId,
    label: z.string().meta({ example: 'garage' }),
    image: z.string().meta({ example: 'ghcr.io/acme/llama:3.1' }),
    visibility: Visibility,
    class: NodeClass,
    backend: z.string().meta({ example: 'docker' }),
    replicas: Total,
    freeSlots: Total,
    status: z.enum(COMPUTE_STATUSES),
    lastSeen: Timestamp,
    firstSeen: Timestamp,
  })
  .meta({ id: 'Compute' });
export type Compute = z.infer<typeof Compute>;

export const AnnouncedRow = Compute.extend({
  listed: z.boolean().meta({ description: 'Whether the public directory lists it now.' }),
  reason: z
    .enum(UNLISTED_REASONS)
    .nullable()
    .meta({ description: 'Why it is not listed; null if it is.' }),
}).meta({ id: 'AnnouncedRow' });
export type AnnouncedRow = z.infer<typeof AnnouncedRow>;

export const AnnounceAnswer = z
  .object({
    ok: z.literal(true),
    nodeId: NodeId,
    count: Total,
    computes: z.array(AnnouncedRow),
    availableMs: z.int().meta({ example: 300000 }),
    nextAnnounceMs: z.int().meta({ example: 60000 }),
    notice: z.string().optional().meta({
      description:
        'Only if some of the offers don’t say their visibility: what that means for them.',
      example:
        '1 of 2 compute offers has no visibility, so it is private. The public directory lists it all the same, marked as private. Set visibility to public or private.',
    }),
  })
  .meta({ id: 'AnnounceAnswer' });
export type AnnounceAnswer = z.infer<typeof AnnounceAnswer>;

export const ComputesQuery = z.object({
  available: Flag('Only compute offers with free capacity and a fresh announcement.'),
  visibility: z
    .enum([...VISIBILITIES, 'all'], 'must be public, private or all')
    .default('all')
    .meta({ description: 'Filters by advertised visibility.', example: 'public' }),
});
export type ComputesQuery = z.infer<typeof ComputesQuery>;

export const ComputeStats = z
  .object({
    total: Total,
    available: Total,
    busy: Total,
    offline: Total,
    replicas: Total,
    freeSlots: Total.meta({ description: 'Sum over available rows only.' }),
  })
  .meta({
    id: 'ComputeStats',
    description: 'Totals of the rows in the response.',
    example: { total: 1, available: 1, busy: 0, offline: 0, replicas: 1, freeSlots: 1 },
  });
export type ComputeStats = z.infer<typeof ComputeStats>;

export const ComputesHead = z.object({
  updatedAt: Timestamp.meta({ description: 'The moment that this response describes.' }),
  availableMs: z.int().meta({
    description: 'A row is offline once its last announcement is older than this, in milliseconds.',
    example: 300000,
  }),
  stats: ComputeStats,
});
export type ComputesHead = z.infer<typeof ComputesHead>;

export const Computes = ComputesHead.extend({ computes: z.array(Compute) }).meta({
  id: 'Computes',
});
export type Computes = z.infer<typeof Computes>;
