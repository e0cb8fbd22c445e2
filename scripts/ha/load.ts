import { setTimeout as sleep } from 'node:timers/promises';

const CLIENTS = 20;
const KNOWN_NODES = 200;

/** Heartbeats of known and of new nodes, one after the other from each client, to several servers. */
export class HaLoad {
  /** Acknowledged ids of new nodes. */
  readonly acknowledged: string[] = [];
  /** Moments of acknowledgements, by performance.now(). */
  readonly at: number[] = [];
  #running = false;
  #clients: Promise<void>[] = [];
  #next = 0;

  constructor(private readonly servers: string[]) {}

  start(): void {
    this.#running = true;
    this.#clients = Array.from({ length: CLIENTS }, (_, client) => this.#send(client));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  /** The longest time between two acknowledgements since `from`, milliseconds. */
  longestGap(from: number): number {
    const after = this.at.filter((at) => at >= from);
    return Math.max(0, ...after.slice(1).map((at, index) => at - (after[index] ?? at)));
  }

  async #send(client: number): Promise<void> {
    for (let turn = client; this.#running; turn++) {
      const isNew = turn % 5 === 0;
      const number = this.#next++;
      const nodeId = isNew ? `new_${number}` : `node_${(number * 7919) % KNOWN_NODES}`;
      const server = this.servers[turn % this.servers.length] as string;
      try {
        const answer = await fetch(`${server}/api/mesh/ping`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ nodeId, lat: 1, lng: 1, label: `n ${number}` }),
          signal: AbortSignal.timeout(10_000),
        });
        await answer.text();
        if (answer.ok) {
          this.at.push(performance.now());
          if (isNew) this.acknowledged.push(nodeId);
          continue;
        }
      } catch {
        // Refused, or cut off: it may be stored all the same.
      }
      await sleep(100);
    }
  }
}
