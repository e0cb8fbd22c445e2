import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { trpc } from './trpc.client.ts';

/** What the server was asked, and what it answers. */
let asked: { method?: string; url?: string; body: string }[];
let answer: { status: number; headers?: Record<string, string>; body: string };
let server: Server;

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push({ method: request.method ?? '', url: request.url ?? '', body });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { fetch } = globalThis;
  // In a browser, addresses are those of the page.
  vi.stubGlobal('fetch', (url: string, init: RequestInit) =>
    fetch(new URL(url, `http://127.0.0.1:${port}`), init),
  );
  vi.stubGlobal('EventSource', Stream);
});

afterEach(async () => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  await new Promise((resolve) => server.close(resolve));
});

describe('a call', () => {
  test('asks with its input in the URL', async () => {
    answer = { status: 200, body: '{"result":{"data":{"label":"attic"}}}' };
    expect(await trpc.mesh.node.query({ id: 'a b' })).toEqual({ label: 'attic' });
    expect(asked).toEqual([
      { method: 'GET', url: '/api/trpc/mesh.node?input=%7B%22id%22%3A%22a%20b%22%7D', body: '' },
    ]);
  });

  test('that changes something sends its input as JSON', async () => {
    answer = { status: 200, body: '{"result":{"data":null}}' };
    await trpc.review.queue.markOpen.mutate({ note: 'MR-1' });
    expect(asked).toEqual([
      { method: 'POST', url: '/api/trpc/review.queue.markOpen', body: '{"note":"MR-1"}' },
    ]);
  });

  test('fails with what the service says, and when to ask again', async () => {
    answer = {
      status: 429,
      headers: { 'retry-after': '7' },
      body: '{"error":{"message":"Too many requests","code":-32029,"data":{"error":"limited"}}}',
    };
    const error = await trpc.status.summary.query().catch((error: unknown) => error);
    expect(error).toMatchObject({ message: 'Too many requests', data: { error: 'limited' } });
    const { meta } = error as { meta: { response: Response } };
    expect(meta.response.headers.get('retry-after')).toBe('7');
  });

  test('fails when something else answers, and when it is no longer wanted', async () => {
    answer = { status: 502, body: '<html>Bad gateway</html>' };
    await expect(trpc.status.summary.query()).rejects.toThrow();
    await expect(
      trpc.status.summary.query(undefined, { signal: AbortSignal.abort() }),
    ).rejects.toThrow(/abort/i);
  });

  test('can be handed on by a promise', async () => {
    expect(await Promise.resolve(trpc.mesh)).toBeTypeOf('function');
  });
});

/** Node has no EventSource. Events are what the server sends. */
class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static all: Stream[] = [];
  readyState = 0;
  constructor(readonly url: string) {
    super();
    Stream.all.push(this);
  }
  send(type: string, data = '{}', lastEventId = ''): void {
    if (this.readyState !== Stream.CLOSED)
      this.dispatchEvent(new MessageEvent(type, { data, lastEventId }));
  }
  close(): void {
    this.readyState = Stream.CLOSED;
  }
}

describe('a stream', () => {
  let told: string[];
  const open = () => {
    Stream.all = [];
    told = [];
    const subscription = trpc.mesh.placeChanges.subscribe(
      { lastEventId: '1-1' },
      {
        onData: ({ id, data }) => told.push(`${id} ${JSON.stringify(data)}`),
        onConnectionStateChange: ({ state }) => told.push(state),
        onError: () => told.push('error'),
        onComplete: () => told.push('complete'),
      },
    );
    return { ...subscription, stream: Stream.all[0] as Stream };
  };
  const inputOf = ({ url }: Stream) =>
    JSON.parse(new URL(url, 'http://localhost').searchParams.get('input') ?? '') as unknown;

  test('says what the server sends, and its state', () => {
    const { stream } = open();
    expect(inputOf(stream)).toEqual({ lastEventId: '1-1' });
    stream.send('connected');
    stream.send('message', '{"type":"delta"}', '1-2');
    stream.send('error');
    expect(told).toEqual(['pending', '1-2 {"type":"delta"}', 'connecting']);
    expect(stream.readyState).not.toBe(Stream.CLOSED);
  });

  test('ends with the server, and when EventSource gives up', () => {
    const first = open().stream;
    first.send('return', '');
    expect(told).toEqual(['complete']);
    expect(first.readyState).toBe(Stream.CLOSED);
    const second = open().stream;
    second.readyState = Stream.CLOSED;
    second.dispatchEvent(new Event('error'));
    expect(told).toEqual(['error']);
  });

  test('ends with a refusal, but not with a failure of the service', () => {
    const first = open().stream;
    first.send('serialized-error', '{"code":-32603,"message":"Internal error"}');
    expect(told).toEqual(['connecting']);
    first.send('serialized-error', '{"code":-32001,"message":"Signed out"}');
    expect(told).toEqual(['connecting', 'error']);
    expect(first.readyState).toBe(Stream.CLOSED);
  });

  test('is opened anew from the last event when it falls silent', () => {
    vi.useFakeTimers();
    const { stream, unsubscribe } = open();
    stream.send('connected', '{"reconnectAfterInactivityMs":40000}');
    stream.send('message', '{}', '1-9');
    vi.advanceTimersByTime(39_000);
    stream.send('ping');
    vi.advanceTimersByTime(39_999);
    expect(Stream.all).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(stream.readyState).toBe(Stream.CLOSED);
    expect(told.at(-1)).toBe('connecting');
    expect(inputOf(Stream.all[1] as Stream)).toEqual({ lastEventId: '1-9' });
    unsubscribe();
    expect(Stream.all[1]?.readyState).toBe(Stream.CLOSED);
    vi.advanceTimersByTime(100_000);
    expect(Stream.all).toHaveLength(2);
  });
});
