import { readFileSync } from 'node:fs';
import { get, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { expectUpload } from './connections.ts';
import { createHttpServer, defaultMaxConnections, type HttpServerOptions } from './http-server.ts';
import { LargeAnswers } from './large-answers.ts';

const HEAD = 'GET / HTTP/1.1\r\nHost: localhost\r\n';
const OK: RequestListener = (_, response) => void response.end('ok');
/** An answer that needs the whole body. */
const answerWhole: RequestListener = (request, response) => {
  request.on('end', () => response.end('ok')).resume();
  request.on('error', () => undefined);
};
/** A request whose body does not come, and one for an answer that fills the buffers of both sides. */
const SLOW_BODY = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n';
const LARGE = HEAD.replace('/ ', '/large ') + '\r\n';
const MB = 1 << 20;

let server: ReturnType<typeof createHttpServer>;
let url: URL;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

async function start(options: HttpServerOptions, listener: RequestListener = OK): Promise<void> {
  server = createHttpServer(listener, options);
  url = new URL(await server.listen(0, '127.0.0.1'));
}

test.runIf(process.platform === 'linux')(
  'a thousand connections that come at once all wait to be accepted',
  async () => {
    await start({});
    for (let n = 0; n < 1000; n++)
      sockets.push(connect(Number(url.port), url.hostname).on('error', () => undefined));
    // They are made now, and nothing is accepted before the next turn of the event loop.
    await new Promise((resolve) => process.nextTick(resolve));
    const address = `0100007F:${Number(url.port).toString(16).toUpperCase().padStart(4, '0')}`;
    const row = new RegExp(`${address} 00000000:0000 0A \\w+:(\\w+)`);
    const waiting = row.exec(readFileSync('/proc/net/tcp', 'latin1'))?.[1] ?? '';
    const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'latin1'));
    expect(parseInt(waiting, 16)).toBeGreaterThanOrEqual(Math.min(1000, most));
  },
);

interface Client {
  socket: Socket;
  received: () => string;
  /** Resolves once the server has closed it. */
  closed: Promise<void>;
}

async function open(sends = '', from?: string): Promise<Client> {
  const local = from === undefined ? {} : { localAddress: from };
  const socket = connect({ port: Number(url.port), host: url.hostname, ...local });
  sockets.push(socket);
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(sends);
  return { socket, received: () => received, closed };
}

/** A client that reads nothing. */
async function stall(sends: string, from?: string): Promise<Client> {
  const client = await open(sends, from);
  client.socket.pause();
  return client;
}

const isOpen = ({ socket }: Client) => !socket.destroyed && !socket.readableEnded;

/** One request on a connection of its own. */
const ask = () =>
  new Promise<string>((resolve, reject) => {
    get(url, { agent: false }, (answer) => {
      answer.setEncoding('utf8').on('data', resolve);
    }).on('error', reject);
  });

test.each(['Host: a\r\nHost: b\r\n', 'Host: a\r\nhost: a\r\n', 'Host: a\r\nX: y\r\nHOST:\r\n'])(
  'a request with two Host headers is refused: %j',
  async (hosts) => {
    await start({});
    const { received, closed } = await open(`GET / HTTP/1.1\r\n${hosts}\r\n`);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 400 /);
    expect(await ask()).toBe('ok');
  },
);

test('slow headers are cut soon after their time', async () => {
  await start({ timeouts: { headersTimeout: 1000 } });
  const startedAt = performance.now();
  const slow = await open(HEAD);
  const drip = setInterval(() => slow.socket.write('a: b\r\n'), 100);
  await slow.closed;
  clearInterval(drip);
  // By itself Node.js looks every 30 s.
  expect(performance.now() - startedAt).toBeLessThan(25_000);
});

test('idle connections without a request give way to new ones, the oldest first', async () => {
  await start({ limits: { max: 10 } });
  const idle: Client[] = [];
  for (let n = 0; n < 30; n++) idle.push(await open(n % 2 ? '' : HEAD));
  for (let n = 0; n < 5; n++) expect(await ask()).toBe('ok');
  await Promise.all(idle.slice(0, 20).map(({ closed }) => closed));
  expect(isOpen(idle.at(-1) as Client)).toBe(true);
});

test('a connection with a request in flight stays, an idle one that was used goes only after the unused ones', async () => {
  const waiting: (() => void)[] = [];
  await start({ limits: { max: 4, slowMs: 0 } }, (request, response) => {
    if (request.url === '/slow') waiting.push(() => void response.end('slow'));
    else response.end('ok');
  });
  const slow = await open(HEAD.replace('/ ', '/slow ') + '\r\n');
  const used = await open(`${HEAD}\r\n`);
  await expect.poll(() => used.received()).toContain('ok');
  const unused = [await open(), await open()];
  await open();
  await unused[0]?.closed;
  expect([slow, used, unused[1] as Client].map(isOpen)).toEqual([true, true, true]);
  for (let n = 2; n <= 4; n++) {
    await open(`${HEAD.replace('/ ', '/slow ')}\r\n`);
    await expect.poll(() => waiting.length).toBe(n);
  }
  await used.closed;
  expect(isOpen(slow)).toBe(true);
  // Every connection has a request in flight now: the newest gives way.
  const newest = await open();
  await newest.closed;
  for (const end of waiting) end();
  await expect.poll(() => slow.received()).toContain('slow');
  expect(await ask()).toBe('ok');
});

test('slow headers, bodies and reads never keep a newcomer out, nor close connections that work', async () => {
  const large = Buffer.alloc(16 * MB);
  let requests = 0;
  await start({ limits: { max: 20, checkMs: 50, slowMs: 0 } }, (request, response) => {
    requests++;
    if (request.url === '/large') response.end(large);
    else answerWhole(request, response);
  });
  const nodes: Client[] = [];
  for (let n = 0; n < 10; n++) nodes.push(await open(`${HEAD}\r\n`));
  await expect.poll(() => nodes.every(({ received }) => received().includes('ok'))).toBe(true);
  for (const kind of [HEAD, SLOW_BODY, LARGE, HEAD])
    for (let n = 0; n < 15; n++) {
      const before = requests;
      await stall(kind);
      // The next one comes when the server has read what there is of this one.
      if (kind !== HEAD) await expect.poll(() => requests, { interval: 1 }).toBe(before + 1);
      if (n % 5 === 0) expect(await ask()).toBe('ok');
    }
  expect(nodes.map(isOpen)).toEqual(nodes.map(() => true));
});

test('on a full server requests that are not slow stay, however many come in one turn of the event loop', async () => {
  let requests = 0;
  await start({ limits: { max: 50, slowMs: 60_000 } }, (request, response) => {
    requests++;
    answerWhole(request, response);
  });
  const idle: Client[] = [];
  for (let n = 0; n < 50; n++) idle.push(await open(`${HEAD}\r\n`));
  await expect.poll(() => idle.every(({ received }) => received().includes('ok'))).toBe(true);
  const posts: Client[] = [];
  for (let n = 1; n <= 12; n++) {
    posts.push(await open(SLOW_BODY));
    await expect.poll(() => requests, { interval: 1 }).toBe(50 + n);
  }
  expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(Array(20).fill('ok'));
  for (const { socket } of posts) socket.write('123456789');
  await expect.poll(() => posts.every(({ received }) => received().includes('ok'))).toBe(true);
  // At least 30 idle ones are left. Above a quarter of all, unfinished requests close each other.
  for (let n = 1; n <= 40; n++) {
    await open(SLOW_BODY);
    await expect.poll(() => requests, { interval: 1 }).toBe(82 + n);
  }
  expect([...idle, ...posts].filter(isOpen).length).toBeGreaterThanOrEqual(30);
});

test('a client with too many slow requests loses its oldest ones, and none that is idle or quick', async () => {
  const limits = { unfinishedPerClient: 4, countLoopback: true, slowMs: 100, checkMs: 20 };
  await start({ limits }, answerWhole);
  // A network of 20 nodes behind one address.
  const nodes: Client[] = [];
  for (let n = 0; n < 20; n++) nodes.push(await open(`${HEAD}\r\n`));
  await expect.poll(() => nodes.every(({ received }) => received().includes('ok'))).toBe(true);
  const slow: Client[] = [];
  for (let n = 0; n < 12; n++) slow.push(await open(n % 2 ? HEAD : SLOW_BODY));
  await Promise.all(slow.slice(0, 8).map(({ closed }) => closed));
  expect([...slow.slice(8), ...nodes].map(isOpen)).toEqual(Array(24).fill(true));
  for (const { socket } of nodes) socket.write(`${HEAD}\r\n`);
  await expect
    .poll(() => nodes.every(({ received }) => received().match(/ok/g)?.length === 2))
    .toBe(true);
});

test('a body that takes too long is refused, unless it is an upload, which gives way last', async () => {
  const full = { max: 3, unfinishedPerClient: 1, countLoopback: true, slowMs: 0 };
  await start({ limits: { bodyMs: 50, checkMs: 20, ...full } }, (request, response) => {
    if (request.url === '/upload') expectUpload(request);
    answerWhole(request, response);
  });
  const upload = await open(SLOW_BODY.replace('/ ', '/upload '));
  const slow = await open(SLOW_BODY);
  await slow.closed;
  expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
  const others: Client[] = [];
  for (let n = 0; n < 6; n++) others.push(await open(SLOW_BODY));
  await Promise.all(others.map(({ closed }) => closed));
  upload.socket.write('123456789');
  await expect.poll(() => upload.received()).toContain('ok');
});

test('a client that reads nothing is dropped; one that reads slowly stays, and so does a quiet stream', async () => {
  const large = Buffer.alloc(24 * MB);
  const ended: string[] = [];
  await start({ limits: { unreadMs: 1000, checkMs: 20 } }, (request, response) => {
    const { url = '' } = request;
    request.socket.once('close', () => ended.push(url));
    if (url === '/stream') response.write('an event');
    else response.end(large);
  });
  const stream = await open(`${HEAD.replace('/ ', '/stream ')}\r\n`);
  const slow = await stall(`${HEAD}\r\n`);
  const read = setInterval(() => slow.socket.read(MB), 20);
  const stalled = await stall(LARGE);
  // What a client sends between requests is no progress.
  const send = setInterval(() => stalled.socket.write('\r\n'), 20);
  await expect.poll(() => ended, { timeout: 5000 }).toEqual(['/large']);
  clearInterval(read);
  clearInterval(send);
  slow.socket.resume();
  await expect.poll(() => slow.socket.bytesRead).toBeGreaterThan(24 * MB);
  expect(isOpen(stream)).toBe(true);
});

test('unread answers take a bounded amount of memory: who keeps most of it loses the one that stands still longest', async () => {
  const largeAnswers = new LargeAnswers(40 * MB);
  const shared = Buffer.alloc(16 * MB);
  const dropped: (string | undefined)[] = [];
  await start({ largeAnswers }, (request, response) => {
    request.socket.once('close', () => dropped.push(request.url));
    response.end(request.url === '/large' ? shared : Buffer.alloc(16 * MB));
  });
  const same: Client[] = [];
  for (let n = 0; n < 5; n++) same.push(await stall(LARGE, '127.0.0.2'));
  await expect.poll(() => largeAnswers.bytes).toBe(16 * MB);
  const others: Client[] = [];
  for (let n = 1; n <= 6; n++) {
    others.push(await stall(`${HEAD}\r\n`));
    await expect.poll(() => dropped.length).toBe(n - 1);
    await expect.poll(() => largeAnswers.bytes).toBe(32 * MB);
  }
  expect(dropped).toEqual(Array(5).fill('/'));
  const reader = await open(LARGE);
  await expect.poll(() => reader.received().length).toBeGreaterThan(16 * MB);
  for (const { socket } of [...same, ...others]) socket.destroy();
  await expect.poll(() => largeAnswers.bytes).toBe(0);
});

test('a client that has left keeps no answer in memory, nor a listener for each of its requests', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on('warning', warn);
  const largeAnswers = new LargeAnswers();
  const left: (() => void)[] = [];
  await start({ largeAnswers }, (request, response) => {
    if (request.url === '/large') response.end(Buffer.alloc(MB));
    else request.socket.once('close', () => left.push(() => response.end(Buffer.alloc(MB))));
  });
  const piped = await stall(LARGE.repeat(12));
  await expect.poll(() => largeAnswers.bytes).toBeGreaterThan(0);
  piped.socket.destroy();
  await expect.poll(() => largeAnswers.bytes).toBe(0);
  const early = await open(`${HEAD}\r\n`);
  early.socket.resetAndDestroy();
  await expect.poll(() => left.length).toBe(1);
  for (const answer of left) answer();
  expect(largeAnswers.bytes).toBe(0);
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});

test('the limit of connections leaves descriptors for files and the database', () => {
  expect(defaultMaxConnections(400)).toBe(240);
  expect(defaultMaxConnections(1024)).toBe(739);
  expect(defaultMaxConnections(Infinity)).toBe(Infinity);
  expect(defaultMaxConnections(64)).toBe(1);
  expect(defaultMaxConnections()).toBeGreaterThan(100);
});
