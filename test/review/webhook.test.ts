import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import { webhookMessages } from '#db/schema/index.ts';
import { aStart, eventually, postJson, type Json } from '../contract/contract.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createTestDatabase } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { accept, reject } from '../support/decisions.ts';

const KEY = randomBytes(32);
const SECRET = `whsec_${KEY.toString('base64')}`;
const REGISTER = '/api/registry/register';

/** A server that receives the webhook. It accepts messages, refuses them, cuts the connection or never answers. */
class Receiver {
  readonly messages: { id: string; body: Json }[] = [];
  mode: 'accepts' | 'refuses' | 'cuts' | 'hangs' = 'accepts';
  attempts = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.attempts++;
      if (this.mode === 'hangs') return;
      if (this.mode === 'cuts') return void request.socket.destroy();
      response.statusCode = this.mode === 'accepts' ? 204 : 503;
      void text(request).then(
        (body) => {
          if (this.mode === 'accepts') this.messages.push(verified(request, body));
          response.end();
        },
        // A stopping service cuts its requests off.
        () => undefined,
      );
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await once(receiver.#server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Checks the signature as standardwebhooks.com describes. */
function verified({ headers }: IncomingMessage, body: string): { id: string; body: Json } {
  const id = headers['webhook-id'] as string;
  const signed = `${id}.${headers['webhook-timestamp'] as string}.${body}`;
  const signature = createHmac('sha256', KEY).update(signed).digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${signature}`);
  return { id, body: JSON.parse(body) };
}

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function setUp(servers = 1) {
  const receiver = await Receiver.start();
  const database = await createTestDatabase();
  const clock = new FakeClock();
  stops.push(
    () => receiver.stop(),
    () => database.drop(),
  );
  const start = async (): Promise<TestServer> => {
    const server = await startTestServer({
      clock: clock.read,
      env: {
        ...database.env,
        PUBLIC_URL: 'https://mesh.example.org',
        REVIEW_WEBHOOK_URL: receiver.url,
        REVIEW_WEBHOOK_SECRET: SECRET,
      },
    });
    stops.push(() => server.stop());
    return server;
  };
  const started: TestServer[] = [];
  for (let n = 0; n < servers; n++) started.push(await start());
  return { receiver, clock, start, server: started[0] as TestServer, started };
}

async function waiting(server: TestServer): Promise<Json> {
  const { id } = await postJson(server, REGISTER, aStart(), 201);
  return postJson(server, REGISTER, { action: 'confirm', id, cashConfirm: '#D-SECRET' }, 200);
}

describe('a receiver of the webhook', () => {
  test('gets signed messages about waiting and decided registrations, without the operators’ secrets', async () => {
    const { server, receiver, clock } = await setUp();
    const { id, name, paymentNote } = await waiting(server);
    await eventually(() => receiver.messages.length, 1);
    const reviewer = 'ada@example.org';
    await accept(server.services, { id, reviewer });
    await server.services.review.undo({ note: paymentNote as string, reviewer });
    await reject(server.services, { id, reviewer, reason: 'no payment' });
    clock.advance(UNDO_MS - 1);
    await server.services.webhook.send();
    expect(receiver.messages).toHaveLength(1);
    clock.advance(1);
    await server.services.webhook.send();
    // What was undone is told to nobody, nor that it waits again.
    expect(receiver.messages).toHaveLength(2);
    const [waits, decided] = receiver.messages.map(({ body }) => body);
    const url = `https://mesh.example.org/review/registrations/${paymentNote}`;
    expect(waits).toMatchObject({
      type: 'registration.waiting',
      data: { name, paymentNote, status: 'pending_review', decidedBy: null, url },
    });
    expect(decided).toMatchObject({
      type: 'registration.decided',
      data: { name, status: 'rejected', decidedBy: 'ada@example.org', reason: 'no payment' },
    });
    const sent = JSON.stringify(receiver.messages);
    expect(sent).not.toContain(id);
    expect(sent).not.toContain('#D-SECRET');
    expect(server.log()).not.toContain(receiver.url);
  });

  test('that is down for an hour misses no message, even if the service restarts meanwhile', async () => {
    const { receiver, clock, start, server } = await setUp();
    receiver.mode = 'refuses';
    const first = await waiting(server);
    await eventually(() => receiver.attempts, 1);
    clock.advance(20_000);
    const second = await waiting(server);
    await eventually(() => receiver.attempts, 3);
    await server.stop();
    clock.advance(40 * 60_000);
    const again = await start();
    await eventually(() => receiver.attempts, 5);
    receiver.mode = 'accepts';
    clock.advance(20 * 60_000);
    await again.services.webhook.send();
    expect(receiver.messages.map(({ body }) => body.data.name)).toEqual([first.name, second.name]);
    clock.advance(20 * 60_000);
    await again.services.webhook.send();
    expect(receiver.messages).toHaveLength(2);
  });

  test('that refuses a message or cuts the connection for a week gets it no more, and the log says so', async () => {
    const { receiver, clock, server } = await setUp();
    const { webhook } = server.services;
    receiver.mode = 'refuses';
    await waiting(server);
    await eventually(() => receiver.attempts, 1);
    receiver.mode = 'cuts';
    clock.advance(7 * 86_400_000 - 3_600_000);
    await webhook.send();
    expect(server.log()).not.toContain('giving up');
    clock.advance(3_600_000);
    await webhook.send();
    expect(server.log()).toContain('giving up');
    receiver.mode = 'accepts';
    clock.advance(3_600_000);
    await webhook.send();
    expect([receiver.attempts, receiver.messages]).toEqual([3, []]);
  });

  test('that never answers delays nothing', async () => {
    const { server, receiver } = await setUp();
    receiver.mode = 'hangs';
    const { id } = await waiting(server);
    await eventually(() => receiver.attempts, 1);
    await accept(server.services, { id, reviewer: 'ada@example.org' });
    expect(await (await server.get(`${REGISTER}?id=${id}`)).json()).toMatchObject({
      status: 'active',
    });
    const from = performance.now();
    await server.stop();
    // Waiting for the receiver would take 10 s.
    expect(performance.now() - from).toBeLessThan(9000);
  });

  test('gets each message once, however many servers run', async () => {
    const { receiver, started, clock, server } = await setUp(3);
    const all = await Promise.all([...started, ...started, ...started].map(waiting));
    // Received is not yet recorded: a message that is neither within the hour would rightly come again.
    await eventually(() => server.database.db.$count(webhookMessages), 0);
    clock.advance(3_600_000);
    await Promise.all(started.map((server) => server.services.webhook.send()));
    expect(new Set(receiver.messages.map(({ id }) => id)).size).toBe(all.length);
    expect(receiver.messages).toHaveLength(all.length);
  });
});
