import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EventFrame } from '#server/live/index.ts';
import { createHttpServer } from '#server/http/http-server.ts';
import { sendEvents } from './handler.ts';

/** A server that sends these events, and a client that has got the response's head. */
async function stream(events: (signal: AbortSignal) => AsyncIterable<Buffer>, unreadMs = 300) {
  async function* frames(signal: AbortSignal): AsyncGenerator<EventFrame<unknown, unknown>> {
    for await (const event of events(signal)) yield { id: '', data: [], event: [event] };
  }
  let done: Promise<void> | undefined;
  const server = createHttpServer(
    (_, response) => {
      done = sendEvents(response, { 'x-own': 'yes' }, frames);
    },
    { limits: { unreadMs, checkMs: 20 } },
  );
  const request = get(await server.listen(0, '127.0.0.1'));
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  onTestFinished(() => {
    request.destroy();
    void server.close();
  });
  return { request, response, done: () => done };
}

test('events are sent as they are, between a greeting and an end that tRPC’s clients know', async () => {
  const { response } = await stream(async function* () {
    yield Buffer.from('data: 1\n\n');
    await sleep(20);
    yield Buffer.from('data: 2\n\n');
  });
  expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-own': 'yes' });
  let text = '';
  for await (const chunk of response) text += String(chunk);
  expect(text).toBe(
    'event: connected\ndata: {"reconnectAfterInactivityMs":40000}\n\ndata: 1\n\ndata: 2\n\nevent: return\ndata: \n\n',
  );
});

test('caches and proxies on the way are told to hold nothing back', async () => {
  const { response } = await stream(async function* () {});
  expect(response.headers).toMatchObject({
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
});

test('a client that reads nothing is asked for no more events, and dropped after a while', async () => {
  let made = 0;
  const { request, response, done } = await stream(async function* () {
    for (; made < 1000; made++) {
      yield Buffer.alloc(1 << 20, 'x');
      await sleep(1);
    }
  });
  response.pause();
  // What it sends is no sign that it reads.
  const send = setInterval(() => request.socket?.write('\r\n'), 20);
  await done();
  clearInterval(send);
  // What the sockets' buffers take, and no more.
  expect(made).toBeLessThan(50);
});

test('a client that reads slowly stays, and gets every byte', async () => {
  // So long that a busy machine makes no pause of it.
  const unreadMs = 2000;
  const { response, done } = await stream(async function* () {
    for (let n = 0; n < 10; n++) yield Buffer.alloc(1 << 20, 'x');
    await sleep(1);
  }, unreadMs);
  const startedAt = performance.now();
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    await sleep(16);
  }
  expect(performance.now() - startedAt).toBeGreaterThan(unreadMs);
  await done();
  expect(bytes).toBeGreaterThan(10 << 20);
});

test('streams that wait behind one that never ends are over when the connection is', async () => {
  let [opened, ended] = [0, 0];
  async function* endless(signal: AbortSignal): AsyncGenerator<EventFrame<unknown, unknown>> {
    opened++;
    // More than the response takes before it waits for its reader.
    yield { id: '', data: [], event: [Buffer.alloc(1 << 20, 'x')] };
    if (!signal.aborted) await once(signal, 'abort');
  }
  const server = createServer((_, response) => {
    void sendEvents(response, {}, endless).finally(() => ended++);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2));
  await vi.waitFor(() => expect(opened).toBe(2));
  socket.destroy();
  await vi.waitFor(() => expect(ended).toBe(2));
});

test('when the client leaves, the stream behind it ends', async () => {
  let ended = false;
  const { request, done } = await stream(async function* (signal) {
    yield Buffer.from('data: 1\n\n');
    await once(signal, 'abort');
    ended = true;
  });
  request.destroy();
  await done();
  expect(ended).toBe(true);
});
