import type { KeyObject } from 'node:crypto';
import TinyQueue from 'tinyqueue';
import { MeshRegistry, type Problem, type Result } from '@mesh-registry/client/index.ts';
import { signWith } from '@mesh-registry/protocol/keys/node-signature.ts';
import {
  codeOf,
  isNothingThere,
  isUnanswered,
  MAX_CONNECTIONS,
  openConnections,
  REQUEST_TIMEOUT_MS,
  sendOverIdle,
} from './connections.ts';
import {
  announceBody,
  createNode,
  nextHeartbeat,
  pingBody,
  takeCensus,
  type SimulatedNode,
} from './node-lifecycle.ts';
import type { FleetPlan, NodePlan } from './plan.ts';
import type { FleetProgress } from './progress.ts';
import { between, type Random } from './random.ts';
import { Traffic, type Message } from './traffic.ts';

export interface FleetOptions {
  /** Base address of the service, http or https. */
  url: string;
  plan: FleetPlan;
  /** Between two heartbeats of a node, give or take 10 %. The service may ask for a longer pause. */
  intervalMs: number;
  /** WEBHOOK_SECRET of the service. Without one, no credential is sent. */
  secret?: string | undefined;
  /** The private key with which a node signs what it sends. Without this, nothing is signed. */
  keyOf?: ((nodeId: string) => KeyObject) | undefined;
  /** Ends the fleet and drops requests in flight. */
  signal: AbortSignal;
  random: Random;
  /** Called once a second. */
  onProgress?: (progress: FleetProgress) => void;
}

/** The service does not accept our credential, so going on is pointless. */
export class FleetUnauthorized extends Error {
  override name = 'FleetUnauthorized';
}

/** So many nodes join within the first 2 s, so that the map is not empty for long. */
const FIRST_NODES = 50;
const FIRST_NODES_MS = 2_000;
const JITTER = 0.1;
const FIRST_BACK_OFF_MS = 1_000;
/** Between two tries while the service is unreachable. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Runs the fleet until the signal aborts; resolves with the final progress. A service that is unreachable or
 * refuses heartbeats is retried forever.
 *
 * @throws FleetUnauthorized when the service answers 401
 */
export function runFleet(options: FleetOptions): Promise<FleetProgress> {
  return new Fleet(options).run();
}

/** Times are milliseconds of performance.now(). */
class Fleet {
  readonly #options: FleetOptions;
  readonly #random: Random;
  readonly #connections;
  /** By node id if each signs with a key of its own; otherwise one for all. */
  readonly #clients = new Map<string, MeshRegistry>();
  readonly #startedAt = performance.now();
  readonly #traffic = new Traffic(this.#startedAt);
  readonly #nodes: SimulatedNode[];
  /** Nodes that take the place of those that leave. */
  readonly #replacements: NodePlan[];
  /** Holds each node once, except while its heartbeat is in flight. */
  readonly #schedule = new TinyQueue<{ due: number; node: SimulatedNode }>(
    [],
    (a, b) => a.due - b.due,
  );
  #timer: NodeJS.Timeout | undefined;
  #inFlight = 0;
  #lateMs = 0;
  #slowedToMs: number | null = null;
  #unlistedReason: string | null = null;
  /**
   * While the service is unreachable, one node at a time tries, with growing pauses; the others skip their heartbeats, so
   * that they neither flood the address nor all return at once.
   */
  #outage: {
    code: string;
    since: number;
    pauseMs: number;
    triedAt: number;
    retryAt: number;
  } | null = null;
  #ended = false;
  #fail: (error: Error) => void = () => {};

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#random = options.random;
    this.#connections = openConnections(options.url);
    this.#nodes = options.plan.nodes.map((plan) => createNode(plan, this.#random));
    this.#replacements = [...options.plan.replacements];
  }

  async run(): Promise<FleetProgress> {
    const { signal, intervalMs, onProgress } = this.#options;
    const end = new Promise<void>((resolve, reject) => {
      this.#fail = reject;
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    for (const [i, node] of this.#nodes.entries()) {
      const within = i < FIRST_NODES ? Math.min(FIRST_NODES_MS, intervalMs) : intervalMs;
      this.#schedule.push({ due: this.#startedAt + between(this.#random, 0, within), node });
    }
    const ticker = setInterval(() => onProgress?.(this.#progress()), 1000);
    this.#sendDue();
    try {
      await end;
      return this.#progress();
    } finally {
      this.#ended = true;
      clearInterval(ticker);
      clearTimeout(this.#timer);
      await this.#connections.close();
    }
  }

  /** Sends the heartbeats that are due while connections are free, and sets a timer for the next one. */
  #sendDue(): void {
    clearTimeout(this.#timer);
    while (!this.#ended && this.#inFlight < MAX_CONNECTIONS) {
      const next = this.#schedule.peek();
      if (!next) return;
      const { due, node } = next;
      const now = performance.now();
      if (due > now) {
        this.#timer = setTimeout(() => this.#sendDue(), due - now);
        return;
      }
      this.#schedule.pop();
      if (this.#outage) {
        if (now < this.#outage.retryAt) {
          this.#schedule.push({ due: this.#skipUntil(now), node });
          continue;
        }
        this.#outage.triedAt = now;
        this.#outage.retryAt = now + REQUEST_TIMEOUT_MS;
      }
      this.#lateMs = Math.max(this.#lateMs, now - due);
      this.#inFlight++;
      void this.#sendHeartbeat(node).then((due) => {
        this.#inFlight--;
        this.#schedule.push({ due, node });
        this.#sendDue();
      });
    }
  }

  /** Sends a node's heartbeat, and its announcement if that is due; returns when the next one is due. */
  async #sendHeartbeat(node: SimulatedNode): Promise<number> {
    const sentAt = performance.now();
    const { intervalMs } = this.#options;
    const heartbeat = node.unacknowledged ?? nextHeartbeat(node, this.#replacements, this.#random);
    const { status, pause } = heartbeat;
    const due = sentAt + pause * intervalMs * between(this.#random, 1 - JITTER, 1 + JITTER);
    if (status === null) return due;
    const result = await this.#send('ping', () =>
      this.#clientOf(node).ping(pingBody(node, status)),
    );
    const now = performance.now();
    if (!result.ok) {
      node.unacknowledged = heartbeat;
      return this.#retryAt(node, result.problem, sentAt, now);
    }
    node.unacknowledged = null;
    node.failures = 0;
    node.acknowledged = { status, at: now };
    if (status !== 'offline') await this.#announceIfDue(node);
    const { nextPingMs } = result.value;
    this.#slowedToMs = nextPingMs > intervalMs ? nextPingMs : null;
    if (this.#slowedToMs === null) return due;
    return Math.max(due, now + this.#slowedToMs * between(this.#random, 1, 1 + JITTER));
  }

  async #announceIfDue(node: SimulatedNode): Promise<void> {
    const rows = node.plan.computes.length;
    if (rows === 0 || performance.now() < node.announceDueAt) return;
    const body = announceBody(node, this.#random);
    const result = await this.#send('announce', () => this.#clientOf(node).announce(body));
    let pauseMs = result.ok ? 0 : retryAfterMs(result.problem);
    if (result.ok) {
      const { nextAnnounceMs = 0, computes = [] } = result.value;
      pauseMs = nextAnnounceMs;
      const unlisted = computes.find(({ listed }) => !listed);
      if (unlisted) this.#unlistedReason = unlisted.reason;
      node.announced = { rows, listed: computes.filter(({ listed }) => listed).length };
    }
    node.announceDueAt = performance.now() + pauseMs * between(this.#random, 1, 1 + JITTER);
  }

  #clientOf({ plan: { nodeId } }: SimulatedNode): MeshRegistry {
    const { url, secret, keyOf } = this.#options;
    const known = this.#clients.get(keyOf ? nodeId : '');
    if (known) return known;
    const client = new MeshRegistry({
      url,
      secret,
      fetch: this.#connections.fetch,
      // The schedule repeats.
      retries: 0,
      ...(keyOf && { authorize: signWith(keyOf(nodeId)) }),
    });
    this.#clients.set(keyOf ? nodeId : '', client);
    return client;
  }

  async #send<Value>(message: Message, send: () => Promise<Result<Value>>): Promise<Result<Value>> {
    const sentAt = performance.now();
    const result = await sendOverIdle(send);
    // Requests that the end of the fleet cut off are no errors.
    if (this.#ended) return result;
    const now = performance.now();
    this.#traffic.count(message, result, now - sentAt, now);
    if (result.ok || !isUnanswered(result.problem)) this.#outage = null;
    if (!result.ok && isWrongSecret(result.problem)) {
      this.#fail(
        new FleetUnauthorized(
          this.#options.secret
            ? 'the service rejected the secret (401): use one from its WEBHOOK_SECRET'
            : 'the service requires a secret (401): set WEBHOOK_SECRET or use --secret',
        ),
      );
    }
    return result;
  }

  /** When to repeat a heartbeat that was not accepted. */
  #retryAt(node: SimulatedNode, problem: Problem, sentAt: number, now: number): number {
    if (isNothingThere(problem) || (isUnanswered(problem) && this.#outage)) {
      const { since = now, pauseMs = 0, triedAt = sentAt } = this.#outage ?? {};
      // Another node has tried since then, and speaks for all.
      if (sentAt < triedAt) return this.#skipUntil(now);
      const next = Math.min(LONGEST_PAUSE_MS, pauseMs * 2 || FIRST_PAUSE_MS);
      const retryAt = now + next;
      this.#outage = { code: codeOf(problem), since, pauseMs: next, triedAt: now, retryAt };
      return retryAt;
    }
    node.failures++;
    const doubled = FIRST_BACK_OFF_MS * 2 ** Math.min(node.failures - 1, 10);
    const backOff = Math.min(this.#options.intervalMs, doubled);
    // Never before the time that the service asks for, and not all at once after it.
    return now + Math.max(retryAfterMs(problem), backOff) * between(this.#random, 1.01, 1.25);
  }

  /** When a node that skips a heartbeat tries again: at random, so that the fleet stays spread out. */
  #skipUntil(now: number): number {
    return now + between(this.#random, 0, this.#options.intervalMs);
  }

  #progress(): FleetProgress {
    const now = performance.now();
    const lateMs = this.#lateMs;
    this.#lateMs = 0;
    return {
      ...this.#traffic.summary(now),
      ...takeCensus(this.#nodes, now),
      elapsedMs: now - this.#startedAt,
      lateMs,
      slowedToMs: this.#slowedToMs,
      unlistedReason: this.#unlistedReason,
      outage: this.#outage && { code: this.#outage.code, forMs: now - this.#outage.since },
    };
  }
}

const retryAfterMs = (problem: Problem): number =>
  ('retryAfterMs' in problem && problem.retryAfterMs) || 0;

/** A signature that is refused is one node's own problem: another fleet may have pinned its id. */
const isWrongSecret = (problem: Problem): boolean =>
  'status' in problem && problem.status === 401 && !codeOf(problem).startsWith('signature_');
