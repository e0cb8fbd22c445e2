import { z } from 'zod';
import {
  isReservedNodeId,
  Name,
  NodeClass,
  SentNodeId,
  SentRegion,
} from '#server/common/fields.schema.ts';
import { AnnouncedCompute, MAX_COMPUTES } from '#server/computes/computes.schema.ts';
import { Latitude, Longitude, PeerStatus } from '#server/mesh/mesh.schema.ts';

/** The configuration file. What is sent follows the service's own rules; only the names here are TOML's. */

const path = z.string('must be a path, as text').min(1, 'must be a path');

const isHttp = (text: string) => /^https?:\/\/[^/]/.test(text) && URL.canParse(text);

export const ServiceUrl = z
  .string('must be a URL, as text')
  .refine(isHttp, 'must be a URL such as https://mesh.example.org')
  .refine((text) => {
    const { username, password } = isHttp(text) ? new URL(text) : {};
    return !username && !password;
  }, 'must not contain a user or password')
  .transform((text) => text.replace(/\/+$/, ''));

export const ConfiguredNodeId = SentNodeId.refine(
  (id) => !isReservedNodeId(id),
  'must not be "genesis", the id of the bootstrap peer',
);

export const Label = z
  .string('must be text')
  .min(1, 'must not be empty')
  .max(64, 'must be at most 64 characters');

const FREE_SLOTS =
  'must be a whole number from 0 to 1000000, { file = "/path" } or { command = ["program", "argument"] }';

/** How many units of work are free: fixed, or read before each announcement. */
const FreeSlots = z.union(
  [
    AnnouncedCompute.shape.freeSlots,
    z.strictObject({ file: path }),
    z.strictObject({ command: z.array(z.string()).min(1) }),
  ],
  FREE_SLOTS,
);
export type FreeSlots = z.infer<typeof FreeSlots>;

const Compute = z.strictObject(
  {
    name: Name,
    replicas: AnnouncedCompute.shape.replicas,
    free_slots: FreeSlots,
    // Without the service's defaults: what is left out is not sent.
    image: AnnouncedCompute.shape.image.unwrap().optional(),
    class: NodeClass.optional(),
    visibility: AnnouncedCompute.shape.visibility.unwrap().optional(),
    backend: AnnouncedCompute.shape.backend.unwrap().optional(),
  },
  'must be a table: [[compute]]',
);

export const ConfigFile = z.strictObject({
  service: z.strictObject(
    { url: ServiceUrl, secret_file: path.optional() },
    'must be a table: [service]',
  ),
  node: z.strictObject(
    {
      id: ConfiguredNodeId,
      label: Label.optional(),
      class: NodeClass.optional(),
      region: SentRegion.optional(),
      key_file: path.default('identity.key'),
    },
    'must be a table: [node]',
  ),
  map: z
    .strictObject(
      { lat: Latitude, lng: Longitude, status: PeerStatus.optional() },
      'must be a table: [map]',
    )
    .optional(),
  compute: z
    .array(Compute, 'must be tables: [[compute]]')
    .max(MAX_COMPUTES, `must be at most ${MAX_COMPUTES} tables`)
    .superRefine((computes, context) => {
      const seen = new Set<string>();
      computes.forEach(({ name }, at) => {
        if (seen.has(name))
          context.addIssue({
            code: 'custom',
            path: [at, 'name'],
            message: `is used twice: ${name}`,
          });
        seen.add(name);
      });
    })
    .default([]),
});
export type ConfigFile = z.infer<typeof ConfigFile>;
