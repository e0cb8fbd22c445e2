import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import { aPing, aStart, postJson, type Json } from './contract/contract.ts';
import { createTestDatabase } from './support/databases.ts';
import { accept, reject, revoke } from './support/decisions.ts';
import { UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import { FakeClock } from './support/fake-clock.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** What a holder's address leads to. */
class Receiver {
  readonly received: Received[] = [];
  status = 204;
  readonly #server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      this.received.push({ headers: request.headers, body });
      response.writeHead(this.status).end();
    });
  });

  async start(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/a-secret-path`;
  }

  /** The types of the webhook's messages, in order. */
  types(): string[] {
    return this.received.map(({ body }) => JSON.parse(body).type as string);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function setUp() {
  const receiver = new Receiver();
  const address = await receiver.start();
  const database = await createTestDatabase();
  stops.push(
    () => receiver.stop(),
    () => database.drop(),
  );
  const clock = new FakeClock();
  const start = async (): Promise<TestServer> => {
    const server = await startTestServer({
      clock: clock.read,
      loopbackReceivers: true,
      env: {
        ...database.env,
        PUBLIC_URL: 'https://mesh.example.org',
        RATE_LIMITS: 'off',
      },
    });
    stops.push(() => server.stop());
    return server;
  };
  return { receiver, address, clock, start, server: await start() };
}

const call = async (server: TestServer, name: string, input: Json): Promise<Json> => {
  const response = await server.post(`/api/trpc/registry.notifications.${name}`, input);
  const { result, error } = await response.json();
  return error?.data ?? result.data;
};
const settings = async (server: TestServer, id: string): Promise<Json> => {
  const input = encodeURIComponent(JSON.stringify({ id }));
  const response = await server.get(`/api/trpc/registry.notifications.get?input=${input}`);
  return (await response.json()).result.data.settings;
};

/** A registration that waits for review, whose holder wants to hear of everything. */
async function waiting(server: TestServer, address: string, fields: Json = {}) {
  const { id } = await postJson(
    server,
    '/api/registry/register',
    aStart({ nodeId: 'node_a' }),
    201,
  );
  await postJson(server, '/api/registry/register', { action: 'confirm', id }, 200);
  const wants = { kind: 'webhook', onDecision: true, onOffline: true, offlineMinutes: 10 };
  const saved = await call(server, 'save', { id, ...wants, onReturn: true, address, ...fields });
  return { id: id as string, secret: saved.secret as string };
}

/** The function in docs/notifications.md. */
async function documentedVerifier() {
  const page = await readFile(join(import.meta.dirname, '../docs/notifications.md'), 'utf8');
  const [, code = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
  const module = `data:text/javascript,${encodeURIComponent(code)}`;
  return (await import(/* @vite-ignore */ module)) as {
    isGenuine: (secret: string, headers: IncomingHttpHeaders, body: string, now: number) => boolean;
  };
}

const deliver = (server: TestServer) => server.services.notifications.send();

/** Lets time pass as the watching server sees it; these nodes send a heartbeat in each of its rounds. */
async function pass(server: TestServer, clock: FakeClock, ms: number, alive: string[] = []) {
  for (let passed = 0; passed < ms; passed += 30 * SECOND) {
    clock.advance(30 * SECOND);
    for (const nodeId of alive) await server.post('/api/mesh/ping', aPing({ nodeId }));
    await server.services.outages.round();
  }
  await deliver(server);
}

test('a decision reaches the webhook, signed, without anybody’s secrets', async () => {
  const { receiver, address, server, clock } = await setUp();
  const { id, secret } = await waiting(server, address);
  await accept(server.services, { id, reviewer: 'ada@example.org' });
  clock.advance(UNDO_MS - 1);
  await deliver(server);
  expect(receiver.received).toEqual([]);
  clock.advance(1);
  await deliver(server);
  await revoke(server.services, { id, reviewer: 'ada@example.org', reason: 'not yours' });
  clock.advance(UNDO_MS);
  await deliver(server);
  expect(receiver.received).toHaveLength(2);

  const verifier = new Webhook(secret);
  const messages = receiver.received.map(({ headers, body }) => {
    // The receiver's library compares the time with its own, which no test moves.
    expect(headers['webhook-timestamp']).toBeDefined();
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    expect(headers['webhook-signature']).toBe(
      verifier.sign(headers['webhook-id'] as string, at, body),
    );
    for (const hidden of [id, 'ada@']) expect(body).not.toContain(hidden);
    return JSON.parse(body);
  });
  const { isGenuine } = await documentedVerifier();
  const { headers, body } = receiver.received[0] as Received;
  const at = clock.read();
  expect(isGenuine(secret, headers, body, at)).toBe(true);
  expect(isGenuine(secret, headers, `${body} `, at)).toBe(false);
  expect(isGenuine('whsec_b3RoZXI=', headers, body, at)).toBe(false);
  expect(isGenuine(secret, headers, body, at + 10 * MINUTE)).toBe(false);
  expect(messages.map(({ type, data }) => [type, data.decision, data.reason])).toEqual([
    ['registration.decided', 'accepted', null],
    ['registration.decided', 'revoked', 'not yours'],
  ]);
  expect(messages[0]?.data.url).toMatch(/^https:\/\/mesh\.example\.org\/registry\//);
});

test('a question is told at once, once, to whoever wants decisions, without a reviewer’s name or the link', async () => {
  const { receiver, address, server } = await setUp();
  const { id } = await waiting(server, address);
  const { paymentNote: note } = await server.services.registration.get(id);
  const question = { note, reviewer: 'ada@example.org', text: 'Who paid?' };
  await server.services.review.ask(question);
  await server.services.review.ask(question);
  await deliver(server);
  expect(receiver.types()).toEqual(['registration.asked']);
  const [{ body } = { body: '' }] = receiver.received;
  for (const hidden of [id, 'ada@']) expect(body).not.toContain(hidden);
  expect(JSON.parse(body).data).toMatchObject({
    question: 'Who paid?',
    url: 'https://mesh.example.org/register',
  });
  await server.services.review.ask({ ...question, text: 'And when?' });
  await call(server, 'save', { id, kind: 'webhook', onOffline: true });
  await server.services.review.ask({ ...question, text: 'And how?' });
  await deliver(server);
  // What waits is not sent either, once nobody wants it.
  expect(receiver.types()).toEqual(['registration.asked']);
});

test('an outage is reported once after the chosen time, and so is the return', async () => {
  const { receiver, address, server, clock } = await setUp();
  const { id } = await waiting(server, address, { onDecision: false });
  await accept(server.services, { id, reviewer: 'ada' });
  await pass(server, clock, MINUTE, ['node_a']);
  await pass(server, clock, 9 * MINUTE);
  expect(receiver.types()).toEqual([]);
  await pass(server, clock, 2 * MINUTE);
  await pass(server, clock, 2 * HOUR);
  expect(receiver.types()).toEqual(['node.offline']);
  await pass(server, clock, 2 * MINUTE, ['node_a']);
  expect(receiver.types()).toEqual(['node.offline', 'node.back']);
  const [offline, back] = receiver.received.map(({ body }) => JSON.parse(body).data);
  expect(back.offlineSince).toBe(offline.offlineSince);
  expect(Date.parse(back.backAt)).toBeGreaterThan(Date.parse(back.offlineSince) + 2 * HOUR);

  // A shorter silence is an outage, but nothing to be told of.
  await pass(server, clock, 7 * MINUTE);
  await pass(server, clock, MINUTE, ['node_a']);
  expect(receiver.received).toHaveLength(2);
});

test('a return that waits for its outage to be reported is told even if the settings change meanwhile', async () => {
  const { receiver, address, server, clock } = await setUp();
  const { id } = await waiting(server, address, { onDecision: false });
  await accept(server.services, { id, reviewer: 'ada' });
  await pass(server, clock, MINUTE, ['node_a']);
  receiver.status = 503;
  await pass(server, clock, 11 * MINUTE);
  await pass(server, clock, MINUTE, ['node_a']);
  expect(new Set(receiver.types())).toEqual(new Set(['node.offline']));
  receiver.received.length = 0;
  receiver.status = 204;
  const wants = { onOffline: true, offlineMinutes: 20, onReturn: true };
  await call(server, 'save', { id, kind: 'webhook', ...wants });
  for (let round = 0; round < 2; round++) {
    clock.advance(HOUR);
    await deliver(server);
  }
  expect(receiver.types()).toEqual(['node.offline', 'node.back']);
});

test('what a receiver refuses is sent again, also after a restart, until a day has passed', async () => {
  const { receiver, address, server, clock, start } = await setUp();
  const { id } = await waiting(server, address);
  receiver.status = 503;
  await reject(server.services, { id, reviewer: 'ada', reason: 'no payment' });
  clock.advance(UNDO_MS);
  await deliver(server);
  expect(receiver.received).toHaveLength(1);
  clock.advance(29 * SECOND);
  await deliver(server);
  expect(receiver.received).toHaveLength(1);
  clock.advance(2 * SECOND);
  await deliver(server);
  expect(receiver.received).toHaveLength(2);
  expect((await settings(server, id)).recent).toMatchObject([
    { event: 'decided', state: 'retrying', outcome: 'The receiver answered 503.' },
  ]);
  await server.stop();
  const next = await start();
  for (let hour = 0; hour < 30; hour++) {
    clock.advance(HOUR);
    await deliver(next);
  }
  expect((await settings(next, id)).recent).toMatchObject([{ state: 'given up' }]);
  const attempts = receiver.received.length;
  expect(attempts).toBeGreaterThan(20);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  clock.advance(24 * HOUR);
  await deliver(next);
  expect(receiver.received).toHaveLength(attempts);
});

test('however many servers run, each message is sent once', async () => {
  const { receiver, address, server, start, clock } = await setUp();
  const second = await start();
  const { id } = await waiting(server, address);
  receiver.status = 503;
  await accept(server.services, { id, reviewer: 'ada' });
  clock.advance(UNDO_MS);
  await Promise.all([deliver(server), deliver(second)]);
  expect(receiver.received).toHaveLength(1);
  // Each time it is due for both at the same moment.
  for (let attempts = 2; attempts < 8; attempts++) {
    clock.advance(HOUR);
    await Promise.all([deliver(server), deliver(second)]);
    expect(receiver.received).toHaveLength(attempts);
  }
  receiver.status = 204;
  clock.advance(HOUR);
  await Promise.all([deliver(server), deliver(second)]);
  clock.advance(HOUR);
  await Promise.all([deliver(server), deliver(second)]);
  expect(receiver.received).toHaveLength(8);
});

test('a decision that is undone is told to nobody, and of an undo and a message on its way one wins', async () => {
  const { receiver, address, server, clock } = await setUp();
  const reviewer = 'ada@example.org';
  const { id } = await waiting(server, address);
  const { paymentNote: note } = await server.services.registration.get(id);
  for (let round = 0; round < 6; round++) {
    await accept(server.services, { id, reviewer });
    clock.advance(UNDO_MS - 1);
    const undone = server.services.review.undo({ note, reviewer });
    clock.advance(1);
    const [{ status }] = await Promise.allSettled([undone, deliver(server)]);
    await deliver(server);
    const told = status === 'rejected';
    expect(receiver.received).toHaveLength(told ? 1 : 0);
    expect((await server.services.registration.get(id)).status).toBe(
      told ? 'active' : 'pending_review',
    );
    if (told) return;
  }
});

test('ntfy gets a title, a text, tags and a link', async () => {
  const { receiver, address, server, clock } = await setUp();
  const { id, secret } = await waiting(server, address, { kind: 'ntfy' });
  expect(secret).toBeNull();
  await accept(server.services, { id, reviewer: 'ada' });
  clock.advance(UNDO_MS);
  await deliver(server);
  const { name } = await server.services.registration.get(id);
  expect(receiver.received[0]?.headers).toMatchObject({
    title: `${name} is active`,
    tags: 'white_check_mark',
    click: `https://mesh.example.org/registry/${name}`,
  });
  expect(receiver.received[0]?.headers).not.toHaveProperty('webhook-signature');
  expect(receiver.received[0]?.body).toBe(
    `A reviewer activated ${name}. It is listed in the registry.`,
  );
});

test('the address is shown to nobody, not even to the holder, and leaves when removed', async () => {
  const { receiver, address, server, clock } = await setUp();
  const { id, secret } = await waiting(server, address);
  const outcome = await call(server, 'test', { id });
  expect(outcome).toEqual({ delivered: true, words: 'Delivered. The receiver answered 204.' });
  receiver.status = 500;
  expect((await call(server, 'test', { id })).words).toBe('The receiver answered 500.');

  const shown = JSON.stringify([
    await settings(server, id),
    await (await server.get(`/api/registry/register?id=${id}`)).text(),
    await (await server.get(`/register/${id}`)).text(),
    await (await server.get(`/register/${id}/notifications`)).text(),
    await (await server.get('/metrics')).text(),
    server.log(),
  ]);
  expect(shown).not.toContain('a-secret-path');
  expect(shown).not.toContain(secret);
  expect(shown).not.toContain(secret.replace('whsec_', ''));

  // Changes keep the address and the secret; only a renewal shows another one, once.
  expect((await call(server, 'save', { id, kind: 'webhook' })).secret).toBeNull();
  const renewed = await call(server, 'renewSecret', { id });
  expect(renewed.secret).toMatch(/^whsec_/);
  expect(renewed.secret).not.toBe(secret);

  await call(server, 'remove', { id });
  expect(await settings(server, id)).toBeNull();
  expect(await call(server, 'test', { id })).toMatchObject({ code: 'not_found' });

  // It also leaves some time after the registration has ended.
  await call(server, 'save', { id, kind: 'webhook', address });
  await reject(server.services, { id, reviewer: 'ada', reason: 'no payment' });
  for (const gone of [false, true]) {
    clock.advance(4 * 24 * HOUR);
    await server.services.deleteExpired();
    expect((await settings(server, id)) === null).toBe(gone);
  }
});

test('switched off, nothing is sent, and an outage is not made up for', async () => {
  const { receiver, address, server, clock } = await setUp();
  const { id } = await waiting(server, address);
  await call(server, 'switch', { id, enabled: false });
  await accept(server.services, { id, reviewer: 'ada' });
  await pass(server, clock, MINUTE, ['node_a']);
  await pass(server, clock, 30 * MINUTE);
  await pass(server, clock, MINUTE, ['node_a']);
  await call(server, 'switch', { id, enabled: true });
  await pass(server, clock, MINUTE, ['node_a']);
  expect(receiver.received).toEqual([]);
});

test('refusals name the field, and an unknown registration is not found', async () => {
  const { address, server } = await setUp();
  const { id } = await waiting(server, address);
  const refused = (fields: Json) => call(server, 'save', { id, kind: 'webhook', ...fields });
  expect(await refused({ address: 'http://example.com/hook' })).toMatchObject({
    code: 'invalid_body',
    issues: [{ path: 'address', message: 'must begin with https://' }],
  });
  for (const offlineMinutes of [4, 1441, 7.5])
    expect(await refused({ onOffline: true, offlineMinutes })).toMatchObject({
      issues: [{ path: 'offlineMinutes' }],
    });
  // The address of another kind is not taken over.
  expect(await refused({ kind: 'ntfy' })).toMatchObject({ issues: [{ path: 'address' }] });
  expect(await call(server, 'test', { id: 'reg_nobodysnobodysnobodys1' })).toMatchObject({
    code: 'not_found',
  });
});

test('the page does the same with plain forms', async () => {
  const { receiver, address, server } = await setUp();
  const { id } = await postJson(server, '/api/registry/register', aStart(), 201);
  const path = `/register/${id}/notifications`;
  const send = async (fields: Record<string, string>) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      // The forms' links and addresses are under PUBLIC_URL.
      headers: { origin: 'https://mesh.example.org', accept: 'text/html' },
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
    return { status: response.status, html: await response.text() };
  };
  const fields = { intent: 'save', kind: 'webhook', onOffline: 'on', offlineMinutes: '30' };
  const refused = await send({ ...fields, address: 'http://example.com/x' });
  expect(refused.status).toBe(400);
  expect(refused.html).toContain('must begin with https://');

  const saved = await send({ ...fields, address });
  expect(saved.html).toMatch(/<code[^>]*>whsec_[\w+/=]+<\/code>/);
  expect(await settings(server, id)).toMatchObject({
    onDecision: false,
    offlineMinutes: 30,
    onReturn: false,
  });
  const page = await (await server.get(path)).text();
  expect(page).toContain('Notifications are on');
  expect(page).not.toContain('whsec_');

  expect((await send({ intent: 'test' })).html).toContain('Delivered. The receiver answered 204.');
  expect(receiver.types()).toEqual(['test']);
  expect((await send({ intent: 'off' })).html).toContain('Notifications are off');
  expect((await send({ intent: 'on' })).html).toContain('Notifications are on');
  expect((await send({ intent: 'renew' })).html).toContain('whsec_');
  expect((await send({ intent: 'remove' })).html).toContain('deleted');
  expect(await settings(server, id)).toBeNull();
  expect((await server.get('/register/reg_nobodysnobodysnobodys1/notifications')).status).toBe(404);
});

test('at most thirty messages an hour of one registration', async () => {
  const { receiver, address, server } = await setUp();
  const { id } = await waiting(server, address);
  for (let n = 0; n < 30; n++) await call(server, 'test', { id });
  expect(await call(server, 'test', { id })).toMatchObject({ code: 'rate_limited' });
  expect(receiver.received).toHaveLength(30);
});
