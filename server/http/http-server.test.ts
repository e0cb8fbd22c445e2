import { get, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createHttpServer, defaultMaxConnections, type HttpServerOptions } from './http-server.ts';

const HEAD = 'GET / HTTP/1.1\r\nHost: localhost\r\n';
const OK: RequestListener = (_, response) => void response.end('ok');

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

interface Client {
  socket: Socket;
  received: () => string;
  /** Resolves once the server has closed it. */
  closed: Promise<void>;
}

async function open(sends = ''): Promise<Client> {
  const socket = connect(Number(url.port), url.hostname);
  sockets.push(socket);
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(sends);
  return { socket, received: () => received, closed };
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
  await start({ maxConnections: 10 });
  const idle: Client[] = [];
  for (let n = 0; n < 30; n++) idle.push(await open(n % 2 ? '' : HEAD));
  for (let n = 0; n < 5; n++) expect(await ask()).toBe('ok');
  await Promise.all(idle.slice(0, 20).map(({ closed }) => closed));
  expect(isOpen(idle.at(-1) as Client)).toBe(true);
});

test('a connection with a request in flight stays, an idle one that was used goes only after the unused ones', async () => {
  const waiting: (() => void)[] = [];
  await start({ maxConnections: 4 }, (request, response) => {
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

test('the limit of connections leaves descriptors for files and the database', () => {
  expect(defaultMaxConnections(400)).toBe(240);
  expect(defaultMaxConnections(1024)).toBe(739);
  expect(defaultMaxConnections(Infinity)).toBe(Infinity);
  expect(defaultMaxConnections(64)).toBe(1);
  expect(defaultMaxConnections()).toBeGreaterThan(100);
});
