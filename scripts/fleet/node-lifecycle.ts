import type { Announce, Ping } from '@mesh-registry/client/index.ts';
import { OFFLINE_AFTER_MS, type PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { NodePlan } from './plan.ts';
import { between, chance, integer, type Random } from './random.ts';

/** A node of the running fleet. Times are milliseconds of performance.now(). */
export interface SimulatedNode {
  plan: NodePlan;
  phase: 'joining' | 'syncing' | 'online' | 'idle' | 'away';
  /** Heartbeats until the phase ends; for syncing and idle. */
  heartbeatsLeft: number;
  /** The last heartbeat that the service accepted. */
  acknowledged: { status: PeerStatus; at: number } | null;
  /** A heartbeat that the service did not accept: it is sent again before the node moves on. */
  unacknowledged: Heartbeat | null;
  /** Heartbeats in a row that were not accepted. */
  failures: number;
  /** One number per compute of the plan. */
  freeSlots: number[];
  announceDueAt: number;
  /** Rows of the last accepted announcement, and how many of them the directory lists. */
  announced: { rows: number; listed: number };
}

interface Heartbeat {
  /** null: the node falls silent. */
  status: PeerStatus | null;
  /** Intervals until the next heartbeat. */
  pause: number;
}

// At 20 s between heartbeats, a node stays for 40 minutes and is idle every 20; of 200, a dozen are away.
const LEAVES = 1 / 120;
const GOES_IDLE = 1 / 60;
/** A node that leaves says "offline" this often; otherwise it just falls silent. */
const SAYS_OFFLINE = 0.6;
const IS_REPLACED = 0.35;
/** Most nodes of a new fleet were in sync before they joined this map. */
const JOINS_IN_SYNC = 0.8;

export function createNode(plan: NodePlan, random: Random): SimulatedNode {
  return {
    plan,
    phase: 'joining',
    heartbeatsLeft: 0,
    acknowledged: null,
    unacknowledged: null,
    failures: 0,
    freeSlots: plan.computes.map(({ maxSlots }) => integer(random, 0, maxSlots)),
    announceDueAt: 0,
    announced: { rows: 0, listed: 0 },
  };
}

/**
 * Moves a node on by one heartbeat.
 *
 * @param replacements a queue of nodes that can replace one that left. The replaced one joins the queue,
 *   so that a fleet that runs for days does not create rows without end.
 */
export function nextHeartbeat(
  node: SimulatedNode,
  replacements: NodePlan[],
  random: Random,
): Heartbeat {
  switch (node.phase) {
    case 'joining':
      return chance(random, JOINS_IN_SYNC) ? enter(node, 'online') : sync(node, random);
    case 'away':
      maybeReplace(node, replacements, random);
      return sync(node, random);
    case 'syncing':
    case 'idle':
      node.heartbeatsLeft--;
      return enter(node, node.heartbeatsLeft > 0 ? node.phase : 'online');
    case 'online':
      if (chance(random, LEAVES)) return leave(node, random);
      if (!chance(random, GOES_IDLE)) return enter(node, 'online');
      return enter(node, 'idle', integer(random, 3, 9));
  }
}

function enter(
  node: SimulatedNode,
  phase: 'syncing' | 'online' | 'idle',
  heartbeats = node.heartbeatsLeft,
): Heartbeat {
  node.phase = phase;
  node.heartbeatsLeft = heartbeats;
  return { status: phase, pause: 1 };
}

function sync(node: SimulatedNode, random: Random): Heartbeat {
  return enter(node, 'syncing', integer(random, 1, 2));
}

function leave(node: SimulatedNode, random: Random): Heartbeat {
  node.phase = 'away';
  return {
    status: chance(random, SAYS_OFFLINE) ? 'offline' : null,
    pause: integer(random, 5, 15),
  };
}

/** Hosts always return themselves, because someone relies on their compute offers. */
function maybeReplace(node: SimulatedNode, replacements: NodePlan[], random: Random): void {
  if (node.plan.computes.length > 0 || !chance(random, IS_REPLACED)) return;
  const replacement = replacements.shift();
  if (!replacement) return;
  replacements.push(node.plan);
  node.plan = replacement;
}

export function pingBody({ plan }: SimulatedNode, status: PeerStatus): Ping {
  const { computes: _, ...fields } = plan;
  return { ...fields, status };
}

/** Moves free slots by up to a fifth of the maximum and returns the body of an announcement. */
export function announceBody(node: SimulatedNode, random: Random): Announce {
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

export interface Census {
  /**
   * By the status that the service last acknowledged, offline after 60 s as on the map. `joining` nodes
   * have not been acknowledged yet; `alive` is online + syncing + idle.
   */
  nodes: Record<'total' | 'alive' | 'online' | 'syncing' | 'idle' | 'offline' | 'joining', number>;
  /** Rows in the last accepted announcements, and how many of them the directory lists. */
  computes: { announced: number; listed: number };
}

/** Counts the nodes as the service should show them. @param now milliseconds of performance.now() */
export function takeCensus(simulated: SimulatedNode[], now: number): Census {
  const counts = { online: 0, syncing: 0, idle: 0, offline: 0, joining: 0 };
  const computes = { announced: 0, listed: 0 };
  for (const { acknowledged, announced } of simulated) {
    if (!acknowledged) counts.joining++;
    else if (now - acknowledged.at > OFFLINE_AFTER_MS) counts.offline++;
    else counts[acknowledged.status]++;
    computes.announced += announced.rows;
    computes.listed += announced.listed;
  }
  const alive = counts.online + counts.syncing + counts.idle;
  return { nodes: { ...counts, alive, total: simulated.length }, computes };
}
