import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, inject, it } from 'vitest';
import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import { createPostgresDatabase } from '../support/databases.ts';
import { freePort } from '../support/port.ts';
import {
  endAllServers,
  startServerProcess,
  type ServerProcess,
} from '../support/server-process.ts';
import { until } from '../support/until.ts';

const DRAIN_SECONDS = 2;
/** How often the balancer asks each server whether it is ready, and how long it trusts an answer, milliseconds. */
const CHECK_MS = 100;
const TRUST_MS = 1000;
const CLIENTS = 8;

afterEach(endAllServers);

/**
 * Sends each request once, to the ready servers in turn, on persistent connections. It never tries again: every
 * request that a server doesn't answer is a failure.
 */
class Balancer {
  readonly failures: string[] = [];
  answers = 0;
  readonly #servers: { url: string; agent: Agent; readyAt: number }[];
  readonly #checks: NodeJS.Timeout[];
  #turn = 0;

  constructor(urls: string[]) {
    this.#servers = urls.map((url) => ({
      url,
      agent: new Agent({ keepAlive: true }),
      readyAt: -Infinity,
    }));
    this.#checks = this.#servers.map((server) => setInterval(() => void check(server), CHECK_MS));
  }

  isReady(url: string): boolean {
    return this.#ready().some((server) => server.url === url);
  }

  #ready() {
    return this.#servers.filter(({ readyAt }) => performance.now() - readyAt < TRUST_MS);
  }

  /** Waits while no answer to a check is recent enough: this process may have been held up. */
  async #next() {
    for (;;) {
      const ready = this.#ready();
      const server = ready[this.#turn++ % ready.length];
      if (server) return server;
      await sleep(CHECK_MS);
    }
  }

  async send<Answer>(path: string, body?: object): Promise<Answer | null> {
    const server = await this.#next();
    try {
      const { status, text } = await exchange(server.agent, `${server.url}${path}`, body);
      if (status !== 200 && status !== 201) {
        this.failures.push(`${path}: ${status} ${text}`);
        return null;
      }
      this.answers++;
      return JSON.parse(text) as Answer;
    } catch (error) {
      this.failures.push(`${path}: ${String(error)}`);
      return null;
    }
  }

  stop(): void {
    this.#checks.forEach(clearInterval);
    for (const { agent } of this.#servers) agent.destroy();
  }
}

async function check(server: { url: string; readyAt: number }): Promise<void> {
  const askedAt = performance.now();
  const status = await fetch(`${server.url}/readyz`).then(
    (answer) => answer.status,
    () => 0,
  );
  if (status === 200) server.readyAt = Math.max(server.readyAt, askedAt);
  else server.readyAt = -Infinity;
}

function exchange(agent: Agent, url: string, body: object | undefined) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json' },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.end(body && JSON.stringify(body));
  });
}

it('a rolling restart of three servers fails no request, sent once and to a ready server', async () => {
  const database = await createPostgresDatabase(inject('postgresUrl'));
  const ports = [await freePort(), await freePort(), await freePort()];
  const start = (port: number) =>
    startServerProcess({
      DATABASE_URL: database.url,
      PORT: String(port),
      DRAIN_SECONDS: String(DRAIN_SECONDS),
    });
  const servers: ServerProcess[] = await Promise.all(ports.map(start));
  const balancer = new Balancer(servers.map(({ url }) => url));
  try {
    for (const { url } of servers) await until('all are ready', () => balancer.isReady(url));
    let stopped = false;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = 0; !stopped; n++) {
        await balancer.send('/api/mesh/ping', { nodeId: `node_${client}`, lat: 1, lng: 2 });
        await balancer.send('/api/registry');
        const registration = await balancer.send<Registration>('/api/registry/register', {
          action: 'start',
          name: `name-${client}-${n}`,
          nodeId: `host_${client}_${n}`,
          kinds: ['node'],
        });
        // The next server knows it.
        if (registration) await balancer.send(`/api/registry/register?id=${registration.id}`);
        // Enough is under way at any moment, and the database keeps up also on a busy machine.
        await sleep(50);
      }
    });
    for (const [n, port] of ports.entries()) {
      expect(await servers[n]!.end('SIGTERM')).toBe(0);
      servers[n] = await start(port);
      await until('it is ready again', () => balancer.isReady(servers[n]!.url));
    }
    stopped = true;
    await Promise.all(clients);
    expect(balancer.failures).toEqual([]);
    expect(balancer.answers).toBeGreaterThan(CLIENTS * 20);
  } finally {
    balancer.stop();
    endAllServers();
    await database.drop();
  }
});
