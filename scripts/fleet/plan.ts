import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import type { AnnouncedCompute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import { randomLocation, type Region } from './locations.ts';
import { between, chance, integer, pick, seededRandom, shuffled, type Random } from './random.ts';
import { BACKENDS, IMAGES, computeNames, randomLabel } from './vocabulary.ts';

/** A compute offer as it is announced, except for its free slots, which change. */
interface ComputePlan extends Omit<AnnouncedCompute, 'freeSlots'> {
  /** Free slots stay between 0 and this. */
  maxSlots: number;
}

export interface NodePlan {
  /** Distinct in the whole plan. */
  nodeId: string;
  label: string;
  class: NodeClass;
  region: Region;
  /** Degrees, WGS84. */
  lat: number;
  lng: number;
  /** 0 to 4, with names that are distinct in the whole plan; a node that has some is a host. */
  computes: ComputePlan[];
}

export interface FleetPlan {
  nodes: NodePlan[];
  /** Nodes that replace ones that leave: a tenth of the fleet, none of them a host. */
  replacements: NodePlan[];
}

export const MAX_NODES = 100_000;
export const MAX_COMPUTES_PER_HOST = 4;

/** How unlikely a node is to become a host, relative. */
const HOST_RELUCTANCE: Record<NodeClass, number> = { S: 3, M: 1.5, L: 1 };
/** The most replicas and slots of a compute offer. */
const CAPACITY: Record<NodeClass, { replicas: number; slots: number }> = {
  S: { replicas: 2, slots: 8 },
  M: { replicas: 4, slots: 32 },
  L: { replicas: 12, slots: 200 },
};

/**
 * Plans the whole fleet. The same arguments always give the same plan, so that names can be registered
 * before the fleet starts. A larger fleet with the same seed begins with the same nodes and names.
 *
 * @param size.nodes 1 to 100,000
 * @param size.computes computes in all, 0 to 4 times `nodes`
 * @throws RangeError for a number out of bounds
 */
export function planFleet(size: { nodes: number; computes: number; seed: number }): FleetPlan {
  requireWithin('nodes', size.nodes, 1, MAX_NODES);
  requireWithin('computes', size.computes, 0, size.nodes * MAX_COMPUTES_PER_HOST);
  const random = seededRandom(size.seed, 'nodes');
  const ids = new Set<string>();
  const all = Array.from({ length: Math.ceil(size.nodes * 1.1) }, () => planNode(random, ids));
  const nodes = all.slice(0, size.nodes);
  const names = computeNames(seededRandom(size.seed, 'names'), size.computes);
  assignComputes(seededRandom(size.seed, 'computes'), nodes, names);
  return { nodes, replacements: all.slice(size.nodes) };
}

function requireWithin(what: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new RangeError(`${what} must be a whole number from ${min} to ${max}`);
}

function planNode(random: Random, ids: Set<string>): NodePlan {
  const location = randomLocation(random);
  const { city, region, lat, lng } = location;
  const size = between(random, 0, 1);
  return {
    nodeId: uniqueId(random, city, ids),
    label: randomLabel(random, location),
    class: size < 0.6 ? 'S' : size < 0.9 ? 'M' : 'L',
    region,
    lat,
    lng,
    computes: [],
  };
}

/** The city and four random characters: readable, and distinct within the fleet. */
function uniqueId(random: Random, city: string, ids: Set<string>): string {
  const slug = city
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replace(/[ -]+/g, '-')
    .slice(0, 24)
    .replace(/^-|-$/g, '');
  for (;;) {
    const number = integer(random, 0, 36 ** 4 - 1);
    const id = `${slug || 'node'}-${number.toString(36).padStart(4, '0')}`;
    if (ids.has(id)) continue;
    ids.add(id);
    return id;
  }
}

/** Gives every name to a host: 1 to 4 per host, larger nodes first. */
function assignComputes(random: Random, nodes: NodePlan[], names: string[]): void {
  const hosts = shuffled(random, nodes)
    .map((node) => ({ node, order: between(random, 0, HOST_RELUCTANCE[node.class]) }))
    .sort((a, b) => a.order - b.order)
    .map(({ node }) => node);
  const unassigned = names.values();
  const fill = (host: NodePlan, upTo: number) => {
    while (host.computes.length < upTo) {
      const { value: name, done } = unassigned.next();
      if (done) return;
      host.computes.push(planCompute(random, name, host.class));
    }
  };
  for (const host of hosts) fill(host, integer(random, 1, MAX_COMPUTES_PER_HOST));
  // With more than 2.5 computes per node, some names are left: every host gets as many as it can take.
  for (const host of hosts) fill(host, MAX_COMPUTES_PER_HOST);
}

function planCompute(random: Random, name: string, hostClass: NodeClass): ComputePlan {
  const computeClass = chance(random, 0.7) ? hostClass : 'S';
  const { replicas, slots } = CAPACITY[computeClass];
  return {
    name,
    image: pick(random, IMAGES),
    visibility: chance(random, 0.75) ? 'public' : 'private',
    class: computeClass,
    backend: pick(random, BACKENDS),
    replicas: integer(random, 1, replicas),
    maxSlots: integer(random, Math.ceil(slots / 4), slots),
  };
}

/** What PKCS#8 puts before the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The private key of a simulated node. The same seed gives the same keys, so that a service
 * that has pinned them knows a fleet that starts again. Who knows the seed knows the keys.
 */
export function simulatedKey(seed: number, nodeId: string): KeyObject {
  const bytes = createHash('sha256').update(`mesh-registry fleet ${seed} ${nodeId}`).digest();
  return createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, bytes]),
    format: 'der',
    type: 'pkcs8',
  });
}
