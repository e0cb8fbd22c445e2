import { Agenda } from './agenda.ts';
import { Client, MAX_CONNECTIONS, type Outcome } from './client.ts';
import { announceBody, newLife, nextBeat, pingBody, type LiveNode } from './node-lifecycle.ts';
import { Outage } from './outage.ts';
import type { FleetPlan, NodePlan } from './plan.ts';
import { census, type FleetProgress } from './progress.ts';
import { between, type Random } from './random.ts';
import { Traffic } from './stats.ts';

export interface FleetOptions {
  /** Base address of the service, http or https. */
  url: string;
  plan: FleetPlan;
  /** Between two heartbeats of a node, jittered by 10 %; the service may ask for a longer wait. */
  intervalMs: number;
  /** WEBHOOK_SECRET of the service; none: no credential is sent. */
  secret?: string | undefined;
  /** Ends the fleet; requests under way are dropped. */
  signal: AbortSignal;
  /** Default Math.random. */
  random?: Random;
  /** Called once a second. */
  onProgress?: (progress: FleetProgress) => void;
}

/** The service does not accept our credential: no use in going on. */
export class FleetUnauthorized extends Error {
  override name = 'FleetUnauthorized';
}

/** This many nodes join within the first 2 s, so that a map is not empty for long. */
const FIRST_NODES = 50;
const FIRST_NODES_MS = 2_000;
const JITTER = 0.1;
const FIRST_BACK_OFF_MS = 1_000;

/**
 * Runs the fleet until the signal aborts, and resolves with the last progress.
 *
 * @throws FleetUnauthorized when the service answers 401
 */
export function runFleet(options: FleetOptions): Promise<FleetProgress> {
  return new Fleet(options).run();
}

/** Moments are milliseconds of performance.now(). */
class Fleet {
  readonly #options: FleetOptions;
  readonly #random: Random;
  readonly #client: Client;
  readonly #startedAt = performance.now();
  readonly #traffic = new Traffic(this.#startedAt);
  readonly #outage = new Outage();
  readonly #nodes: LiveNode[];
  /** See nextBeat. */
  readonly #bench: NodePlan[];
  /** Each node stands here once, except while its heartbeat is under way. */
  readonly #agenda = new Agenda<LiveNode>();
  #underWay = 0;
  #wakeUp: NodeJS.Timeout | undefined;
  #lateMs = 0;
  #slowedToMs: number | null = null;
  #unlistedReason: string | null = null;
  #ended = false;
  #giveUp: (error: Error) => void = () => {};

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#client = new Client(options.url, options.secret);
    this.#nodes = options.plan.nodes.map((plan) => newLife(plan, this.#random));
    this.#bench = [...options.plan.reserve];
  }

  async run(): Promise<FleetProgress> {
    const { signal, intervalMs, onProgress } = this.#options;
    if (signal.aborted) return this.#progress();
    const over = new Promise<void>((resolve, reject) => {
      this.#giveUp = reject;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#nodes.forEach((node, i) => {
      const within = i < FIRST_NODES ? Math.min(FIRST_NODES_MS, intervalMs) : intervalMs;
      this.#agenda.add(this.#startedAt + this.#random() * within, node);
    });
    const ticker = setInterval(() => onProgress?.(this.#progress()), 1000);
    this.#pump();
    try {
      await over;
      return this.#progress();
    } finally {
      this.#ended = true;
      clearInterval(ticker);
      clearTimeout(this.#wakeUp);
      this.#client.close();
    }
  }

  /** Starts every heartbeat that is due, as far as there are connections, and sets the one timer. */
  #pump(): void {
    clearTimeout(this.#wakeUp);
    while (!this.#ended && this.#underWay < MAX_CONNECTIONS) {
      const now = performance.now();
      const due = this.#agenda.nextDue;
      if (due === undefined) return;
      if (due > now) {
        this.#wakeUp = setTimeout(() => this.#pump(), due - now);
        return;
      }
      const { item: node } = this.#agenda.take() as { item: LiveNode };
      if (!this.#outage.mayTry(now)) {
        this.#agenda.add(this.#skipped(now), node);
        continue;
      }
      this.#lateMs = Math.max(this.#lateMs, now - due);
      this.#underWay++;
      void this.#beat(node).then((next) => {
        this.#underWay--;
        this.#agenda.add(next, node);
        this.#pump();
      });
    }
  }

  /** Sends a node's heartbeat, and its announce where that is due; returns when the next one is. */
  async #beat(node: LiveNode): Promise<number> {
    const sentAt = performance.now();
    const { intervalMs } = this.#options;
    const { status, awayBeats } = node.unheard ?? nextBeat(node, this.#bench, this.#random);
    const wait = (awayBeats || 1) * intervalMs * between(this.#random, 1 - JITTER, 1 + JITTER);
    if (status === null) return sentAt + wait;
    const ping = await this.#post('pings', 'api/mesh/ping', pingBody(node, status));
    const now = performance.now();
    if (ping.kind !== 'accepted') {
      node.unheard = { status, awayBeats };
      return this.#retryAt(node, ping, sentAt, now);
    }
    node.unheard = null;
    node.failures = 0;
    node.acknowledged = { status, at: now };
    if (status !== 'offline') await this.#announceIfDue(node);
    const asked = ping.body['nextPingMs'];
    this.#slowedToMs = typeof asked === 'number' && asked > intervalMs ? asked : null;
    if (this.#slowedToMs === null) return sentAt + wait;
    return Math.max(sentAt + wait, now + this.#slowedToMs * between(this.#random, 1, 1 + JITTER));
  }

  async #announceIfDue(node: LiveNode): Promise<void> {
    const rows = node.plan.computes.length;
    if (rows === 0 || performance.now() < node.announceDueAt) return;
    const body = announceBody(node, this.#random);
    const announce = await this.#post('announces', 'api/registry/computes', body);
    let wait = 0;
    if (announce.kind === 'accepted') {
      const { nextAnnounceMs, computes } = announce.body;
      if (typeof nextAnnounceMs === 'number') wait = nextAnnounceMs;
      const answered = (Array.isArray(computes) ? computes : []) as Record<string, unknown>[];
      const unlisted = answered.find(({ listed }) => listed === false);
      if (unlisted) this.#unlistedReason = String(unlisted['reason']);
      node.announced = { rows, listed: answered.filter(({ listed }) => listed === true).length };
    } else if (announce.kind === 'rejected') {
      wait = announce.retryAfterMs;
    }
    node.announceDueAt = performance.now() + wait * between(this.#random, 1, 1 + JITTER);
  }

  async #post(what: 'pings' | 'announces', path: string, body: object): Promise<Outcome> {
    const outcome = await this.#client.post(path, body);
    // What the end of the fleet broke off is no error.
    if (this.#ended) return outcome;
    this.#traffic.count(what, outcome, performance.now());
    if (outcome.kind !== 'failed') this.#outage.over();
    if (outcome.kind === 'rejected' && outcome.status === 401) {
      this.#giveUp(
        new FleetUnauthorized(
          this.#options.secret
            ? 'the service refused the secret (401): it must be one of its WEBHOOK_SECRET'
            : 'the service wants a credential (401): set WEBHOOK_SECRET or give --secret',
        ),
      );
    }
    return outcome;
  }

  /** When a node whose heartbeat was not accepted tries again. */
  #retryAt(node: LiveNode, ping: Outcome, sentAt: number, now: number): number {
    if (ping.kind === 'failed' && (ping.unreachable || this.#outage.active)) {
      return this.#outage.failed(ping.code, sentAt, now) ?? this.#skipped(now);
    }
    node.failures++;
    const doubled = FIRST_BACK_OFF_MS * 2 ** Math.min(node.failures - 1, 10);
    const backOff = Math.min(this.#options.intervalMs, doubled);
    const asked = ping.kind === 'rejected' ? ping.retryAfterMs : 0;
    // Never before what the service asks for, and never all at the same moment after it.
    return now + Math.max(asked, backOff) * between(this.#random, 1.01, 1.25);
  }

  /** When a node that skips a heartbeat looks again: the fleet stays spread over the interval. */
  #skipped(now: number): number {
    return now + this.#random() * this.#options.intervalMs;
  }

  #progress(): FleetProgress {
    const now = performance.now();
    const lateMs = this.#lateMs;
    this.#lateMs = 0;
    return {
      ...this.#traffic.summary(now),
      ...census(this.#nodes, now),
      elapsedMs: now - this.#startedAt,
      lateMs,
      slowedToMs: this.#slowedToMs,
      unlistedReason: this.#unlistedReason,
      outage: this.#outage.summary(now),
    };
  }
}
