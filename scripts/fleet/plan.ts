import type { NodeClass, Visibility } from '#server/common/values.schema.ts';
import { randomPlace, type Region } from './places.ts';
import { pick, seededRandom, shuffled, whole, type Random } from './random.ts';
import { BACKENDS, IMAGES, computeNames, randomLabel } from './vocabulary.ts';

interface ComputePlan {
  /** 2 to 32 of `a-z 0-9 _ -`, distinct in the whole plan. */
  name: string;
  image: string;
  visibility: Visibility;
  class: NodeClass;
  backend: string;
  replicas: number;
  /** Free slots wander between 0 and this. */
  maxSlots: number;
}

export interface NodePlan {
  /** 2 to 64 of `a-z 0-9 -`, distinct in the whole plan. */
  nodeId: string;
  label: string;
  class: NodeClass;
  region: Region;
  /** Degrees, WGS84. */
  lat: number;
  lng: number;
  /** 0 to 4; a node with none is no host. */
  computes: ComputePlan[];
}

export interface FleetPlan {
  nodes: NodePlan[];
  /** New nodes that take the place of ones that leave: a tenth of the fleet, none of them a host. */
  reserve: NodePlan[];
}

export const MAX_NODES = 100_000;
export const MAX_COMPUTES_PER_HOST = 4;

/**
 * The whole fleet on paper: the same arguments always give the same plan, so that names can be
 * registered before the fleet starts. A larger fleet with the same seed begins with the same places
 * and ids, and its first compute names are the same.
 *
 * @param nodes 1 to 100,000
 * @param computes how many named computes there are in all, 0 to 4 times `nodes`; hosts get 1 to 4
 * @throws RangeError for a number out of bounds
 */
export function planFleet({
  nodes: nodeCount,
  computes: computeCount,
  seed,
}: {
  nodes: number;
  computes: number;
  seed: number | string;
}): FleetPlan {
  if (!Number.isInteger(nodeCount) || nodeCount < 1 || nodeCount > MAX_NODES) {
    throw new RangeError(`nodes must be a whole number from 1 to ${MAX_NODES}`);
  }
  const mostComputes = nodeCount * MAX_COMPUTES_PER_HOST;
  if (!Number.isInteger(computeCount) || computeCount < 0 || computeCount > mostComputes) {
    throw new RangeError(`computes must be a whole number from 0 to ${mostComputes}`);
  }
  const taken = new Set<string>();
  const random = seededRandom(`${seed}/nodes`);
  const everyone = Array.from({ length: nodeCount + Math.ceil(nodeCount / 10) }, () =>
    planNode(random, taken),
  );
  const nodes = everyone.slice(0, nodeCount);
  placeComputes(nodes, computeCount, seed);
  return { nodes, reserve: everyone.slice(nodeCount) };
}

function planNode(random: Random, taken: Set<string>): NodePlan {
  const { city, country, region, lat, lng } = randomPlace(random);
  const label = randomLabel(random, { city, country, region, lat, lng });
  const size = random();
  return {
    nodeId: freeId(random, city, taken),
    label,
    class: size < 0.6 ? 'S' : size < 0.9 ? 'M' : 'L',
    region,
    lat,
    lng,
    computes: [],
  };
}

/** The city and four random characters: readable, and distinct within the fleet. */
function freeId(random: Random, city: string, taken: Set<string>): string {
  const slug = city
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replace(/[ -]+/g, '-')
    .slice(0, 24)
    .replace(/^-|-$/g, '');
  for (;;) {
    const suffix = whole(random, 0, 36 ** 4 - 1)
      .toString(36)
      .padStart(4, '0');
    const id = slug ? `${slug}-${suffix}` : `node-${suffix}`;
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
}

/** Spreads the computes over the fleet, 1 to 4 per host, larger nodes first to be chosen. */
function placeComputes(nodes: NodePlan[], count: number, seed: number | string): void {
  const random = seededRandom(`${seed}/computes`);
  const names = computeNames(seededRandom(`${seed}/names`), count);
  const reluctance: Record<NodeClass, number> = { S: 3, M: 1.5, L: 1 };
  const hosts = shuffled(random, nodes)
    .map((node) => ({ node, order: random() * reluctance[node.class] }))
    .sort((a, b) => a.order - b.order)
    .map(({ node }) => node);
  const next = (host: NodePlan) => {
    const name = names[placed++];
    if (name !== undefined) host.computes.push(planCompute(random, name, host.class));
  };
  let placed = 0;
  for (const host of hosts) {
    for (let n = whole(random, 1, MAX_COMPUTES_PER_HOST); n > 0; n--) next(host);
  }
  // More computes than that (2.5 a node and up): fill the hosts.
  for (const host of hosts) {
    while (placed < count && host.computes.length < MAX_COMPUTES_PER_HOST) next(host);
  }
}

function planCompute(random: Random, name: string, host: NodeClass): ComputePlan {
  const size = random() < 0.7 ? host : 'S';
  const [replicas, slots] = { S: [2, 8], M: [4, 32], L: [12, 200] }[size] as [number, number];
  return {
    name,
    image: pick(random, IMAGES),
    visibility: random() < 0.75 ? 'public' : 'private',
    class: size,
    backend: pick(random, BACKENDS),
    replicas: whole(random, 1, replicas),
    maxSlots: whole(random, Math.ceil(slots / 4), slots),
  };
}
