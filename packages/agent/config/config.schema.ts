import { z } from 'zod';
import {
  isReservedNodeId,
  Name,
  NodeClass,
  SentNodeId,
  SentRegion,
} from '@mesh-registry/protocol/rest/fields.schema.ts';
import {
  AnnouncedCompute,
  eachNameOnce,
  MAX_COMPUTES,
} from '@mesh-registry/protocol/rest/computes.schema.ts';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { parseAddress } from '@mesh-registry/peer/addresses/peer-address.ts';
import { Latitude, Longitude, PeerStatus } from '@mesh-registry/protocol/rest/mesh.schema.ts';

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

const PeerAddress = z
  .string('must be an address, as text')
  .refine(
    (text) => parseAddress(text) !== null,
    'must be an address such as /ip4/203.0.113.7/tcp/9900 or /dns4/node.example.org/tcp/9900',
  );

const GenesisAddress = PeerAddress.refine(
  (text) => parseAddress(text)?.peer !== null,
  'must end in /p2p/ and the id of the peer',
);

const ListenAddress = z
  .string('must be an address, as text')
  .regex(
    /^\/(ip4\/[\d.]+|ip6\/[\da-f:]+)\/tcp\/\d{1,5}$/i,
    'must be an address of this machine such as /ip4/0.0.0.0/tcp/9900',
  );

export const HealthAddress = z
  .string('must be HOST:PORT, as text')
  .regex(/^(\[[\da-f:]+\]|[\w.-]+):\d{1,5}$/i, 'must be HOST:PORT such as 127.0.0.1:9901');

const whole = (from: number, to: number) =>
  z
    .int(`must be a whole number`)
    .min(from, `must be at least ${from}`)
    .max(to, `must be at most ${to}`);

/** The peer process. What other nodes are told is independent of [map]. */
const PeerProcess = z
  .strictObject(
    {
      trust: path,
      listen: z.array(ListenAddress, 'must be a list').max(8).default(['/ip4/0.0.0.0/tcp/9900']),
      announce: z.array(PeerAddress, 'must be a list').max(8).optional(),
      genesis: z.array(GenesisAddress, 'must be a list').max(16).default([]),
      health: HealthAddress.optional(),
      truth_file: path.optional(),
      log: path.optional(),
      outbound: whole(0, 64).default(LIMITS.outboundSessions),
      max_peers: whole(1, 1000).default(LIMITS.sessions),
      max_upload_rate: whole(LIMITS.uploadBytesPerSecondMin, 1_000_000_000_000).optional(),
      private_addresses: z.boolean('must be true or false').default(false),
    },
    'must be a table: [peer]',
  )
  .refine(({ listen, outbound, max_peers: all }) => listen.length === 0 || all > outbound, {
    path: ['max_peers'],
    error: 'must be more than peer.outbound: the difference is for incoming connections',
  });

export const ConfigFile = z.strictObject({
  service: z.strictObject(
    {
      url: ServiceUrl,
      secret_file: path.optional(),
      insecure_http: z.boolean('must be true or false').default(false),
    },
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
  peer: PeerProcess.optional(),
  compute: z
    .array(Compute, 'must be tables: [[compute]]')
    .max(MAX_COMPUTES, `must be at most ${MAX_COMPUTES} tables`)
    .superRefine(eachNameOnce((name) => `is used twice: ${name}`))
    .default([]),
});
export type ConfigFile = z.infer<typeof ConfigFile>;
