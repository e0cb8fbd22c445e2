import type { AnnouncedCompute } from '#server/computes/computes.schema.ts';
import type { PeerStatus } from '#server/common/values.schema.ts';
import type { Ping } from '#server/mesh/mesh.schema.ts';
import type { NodePlan } from './plan.ts';
import { between, whole, type Random } from './random.ts';

/** A node of the running fleet. Moments are milliseconds of performance.now(). */
export interface LiveNode {
  plan: NodePlan;
  phase: 'waiting' | 'syncing' | 'online' | 'idle' | 'away';
  /** Heartbeats until the phase (syncing or idle) ends. */
  beatsLeft: number;
  /** The last heartbeat that the service accepted. */
  acknowledged: { status: PeerStatus; at: number } | null;
  /** Free slots, one number per compute of the plan. */
  freeSlots: number[];
  announceDueAt: number;
  /** Of the last accepted announce: how many rows it had, and how many are in the directory. */
  announced: { rows: number; listed: number };
  /** A heartbeat that was not accepted: it is sent again, a node's life waits for it. */
  unheard: Beat | null;
  /** Failed heartbeats in a row. */
  failures: number;
}

interface Beat {
  /** What the heartbeat says; null: nothing is sent, the node fell silent. */
  status: PeerStatus | null;
  /** The node is gone after this for so many intervals; 0: it goes on. */
  awayBeats: number;
}

// At 20 s: a node stays some 40 minutes, is idle about every 20, and a dozen are away of 200.
const LEAVES = 1 / 120;
const GOES_IDLE = 1 / 60;
const SAYS_GOODBYE = 0.6;
const IS_REPLACED = 0.35;
/** Of the nodes that join first: most were in sync already before they met this service. */
const JOINS_IN_SYNC = 0.8;

export function newLife(plan: NodePlan, random: Random): LiveNode {
  return {
    plan,
    phase: 'waiting',
    beatsLeft: 0,
    acknowledged: null,
    freeSlots: plan.computes.map(({ maxSlots }) => whole(random, 0, maxSlots)),
    announceDueAt: 0,
    announced: { rows: 0, listed: 0 },
    unheard: null,
    failures: 0,
  };
}

/**
 * Moves a node on by one heartbeat.
 *
 * @param bench nodes that stand ready to replace one that leaves, first in, first out; whoever was
 *   replaced waits there for its return, so that a fleet that runs for days makes no rows without end
 */
export function nextBeat(node: LiveNode, bench: NodePlan[], random: Random): Beat {
  switch (node.phase) {
    case 'waiting':
      return random() < JOINS_IN_SYNC ? settle(node) : sync(node, random);
    case 'away':
      replaceMaybe(node, bench, random);
      return sync(node, random);
    case 'syncing':
    case 'idle':
      return --node.beatsLeft > 0 ? { status: node.phase, awayBeats: 0 } : settle(node);
    case 'online': {
      const chance = random();
      if (chance < LEAVES) return leave(node, random);
      if (chance > LEAVES + GOES_IDLE) return settle(node);
      node.phase = 'idle';
      node.beatsLeft = whole(random, 3, 9);
      return { status: 'idle', awayBeats: 0 };
    }
  }
}

function settle(node: LiveNode): Beat {
  node.phase = 'online';
  return { status: 'online', awayBeats: 0 };
}

function sync(node: LiveNode, random: Random): Beat {
  node.phase = 'syncing';
  node.beatsLeft = whole(random, 1, 2);
  return { status: 'syncing', awayBeats: 0 };
}

function leave(node: LiveNode, random: Random): Beat {
  node.phase = 'away';
  return {
    status: random() < SAYS_GOODBYE ? 'offline' : null,
    awayBeats: whole(random, 5, 15),
  };
}

/** Hosts always come back themselves: somebody counts on their computes. */
function replaceMaybe(node: LiveNode, bench: NodePlan[], random: Random): void {
  if (node.plan.computes.length > 0 || random() >= IS_REPLACED) return;
  const replacement = bench.shift();
  if (!replacement) return;
  bench.push(node.plan);
  node.plan = replacement;
}

/** The body of a heartbeat. */
export function pingBody({ plan }: LiveNode, status: PeerStatus): Ping {
  const { nodeId, label, region, lat, lng } = plan;
  return { nodeId, lat, lng, label, class: plan.class, region, status };
}

/** The body of an announce; free slots wander by a fifth of the maximum at most, within bounds. */
export function announceBody(
  node: LiveNode,
  random: Random,
): { nodeId: string; label: string; computes: AnnouncedCompute[] } {
  const { nodeId, label, computes } = node.plan;
  node.freeSlots = computes.map(({ maxSlots }, i) => {
    const step = Math.max(1, maxSlots / 5);
    const free = (node.freeSlots[i] ?? maxSlots) + between(random, -step, step);
    return Math.min(maxSlots, Math.max(0, Math.round(free)));
  });
  return {
    nodeId,
    label,
    computes: computes.map(({ maxSlots: _, ...compute }, i) => ({
      ...compute,
      freeSlots: node.freeSlots[i] ?? 0,
    })),
  };
}
