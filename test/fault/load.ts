import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export const COMPUTES_PER_HOST = 5;
export const RANK = { pending_payment: 0, pending_review: 1, active: 2, rejected: 3 } as const;
export type Status = keyof typeof RANK;

interface Acknowledged {
  /** By node: the number in the ping's label, and lastSeen in the answer. */
  pings: Map<string, { number: number; lastSeen: string }>;
  /** By host: the number in every compute of the announcement. */
  announces: Map<string, number>;
  /** By registration id. */
  registrations: Map<string, { name: string; status: Status }>;
}

/**
 * Clients that write continuously, each to its own nodes and names, and remember what was acknowledged.
 * After a refusal or a broken connection the write may have happened or not.
 */
export class Load {
  readonly acknowledged: Acknowledged = {
    pings: new Map(),
    announces: new Map(),
    registrations: new Map(),
  };
  /** Answers by status; 0: no answer. */
  readonly statuses = new Map<number, number>();
  /** Requests that failed on connections that the server had accepted, as an earlier answer shows. */
  readonly dropped: BrokenOff[] = [];
  #number = 0;
  /** Several loads may write to one database. */
  readonly #prefix = randomBytes(4).toString('hex');
  #names = 0;
  #stopped = false;
  #steps: number[] = [];
  #clients: Promise<unknown>[] = [];

  /** @param url called before every request: a restarted server has a new URL */
  constructor(private readonly url: () => string) {}

  start(): void {
    this.#stopped = false;
    this.#steps = [];
    const client = async (step: (agent: Agent) => Promise<void>) => {
      // One persistent connection per client.
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const at = this.#steps.push(0) - 1;
      while (!this.#stopped) {
        await step(agent);
        this.#steps[at]!++;
      }
      agent.destroy();
    };
    this.#clients = [
      ...Array.from({ length: 12 }, (_, n) => client((agent) => this.#ping(agent, `node_${n}`))),
      ...Array.from({ length: 6 }, (_, n) => client((agent) => this.#announce(agent, `host_${n}`))),
      ...Array.from({ length: 6 }, () => client((agent) => this.#register(agent))),
    ];
  }

  /** Resolves once every client has had its last answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  /**
   * True once every client has had several answers, so that the server has accepted all connections, and writes of each
   * kind were acknowledged.
   */
  get warm(): boolean {
    const { pings, announces, registrations } = this.acknowledged;
    return (
      this.#steps.every((steps) => steps >= 3) &&
      [pings, announces, registrations].every(({ size }) => size > 0)
    );
  }

  /** How many writes were acknowledged. */
  get count(): number {
    return (this.statuses.get(200) ?? 0) + (this.statuses.get(201) ?? 0);
  }

  async #send<Answer>(agent: Agent, path: string, body: object): Promise<Answer | null> {
    let status = 0;
    let answer: Answer | null = null;
    try {
      const answered = await exchange(agent, `${this.url()}${path}`, JSON.stringify(body));
      ({ status } = answered);
      if (status < 300) answer = JSON.parse(answered.text) as Answer;
    } catch (error) {
      status = 0;
      const brokenOff = error as BrokenOff;
      if (brokenOff.reused) this.dropped.push(brokenOff);
    }
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    // Do not flood a server that is down.
    if (answer === null) await sleep(25);
    return answer;
  }

  async #ping(agent: Agent, nodeId: string): Promise<void> {
    const number = ++this.#number;
    const answer = await this.#send<{ peer: { lastSeen: string } }>(agent, '/api/mesh/ping', {
      nodeId,
      lat: 10,
      lng: 20,
      label: `n ${number}`,
    });
    if (answer) this.acknowledged.pings.set(nodeId, { number, lastSeen: answer.peer.lastSeen });
  }

  async #announce(agent: Agent, nodeId: string): Promise<void> {
    const number = ++this.#number;
    const answer = await this.#send<object>(agent, '/api/registry/computes', {
      nodeId,
      computes: Array.from({ length: COMPUTES_PER_HOST }, (_, n) => ({
        name: `compute-${n}`,
        image: `image:${number}`,
        replicas: number % 100_000,
        freeSlots: number,
      })),
    });
    if (answer) this.acknowledged.announces.set(nodeId, number);
  }

  async #register(agent: Agent): Promise<void> {
    const name = `${this.#prefix}-${++this.#names}`;
    const started = await this.#send<{ id: string }>(agent, '/api/registry/register', {
      action: 'start',
      name,
      nodeId: 'owner',
      kinds: ['node', 'compute'],
    });
    if (!started) return;
    const { registrations } = this.acknowledged;
    registrations.set(started.id, { name, status: 'pending_payment' });
    const confirmed = await this.#send<object>(agent, '/api/registry/register', {
      action: 'confirm',
      id: started.id,
    });
    if (confirmed) registrations.set(started.id, { name, status: 'pending_review' });
  }
}

interface BrokenOff {
  reused: boolean;
  code: string;
  /** When the whole request had been handed to the system, by `performance.now()`; Infinity if it never was. */
  sentAt: number;
}

/** POSTs JSON; rejects with a {@link BrokenOff}. */
function exchange(
  agent: Agent,
  url: string,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = request(url, { method: 'POST', agent, headers, timeout: 30_000 });
    let sentAt = Infinity;
    sent.once('finish', () => (sentAt = performance.now()));
    const fail = (error: NodeJS.ErrnoException) => {
      const brokenOff: BrokenOff = {
        reused: sent.reusedSocket,
        code: error.code ?? error.message,
        sentAt,
      };
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(brokenOff);
    };
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', fail);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('error', fail);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.end(body);
  });
}
