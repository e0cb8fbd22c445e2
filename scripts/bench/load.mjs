// Generates one load over raw sockets, in a process of its own: node:http as a client would take longer per request
// than the server that is measured. Reads its options as JSON from stdin and prints the result as JSON.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** @type {import('./processes.ts').LoadOptions} */
const { url, method, headers, connections, seconds, rate, peers } = JSON.parse(
  await text(process.stdin),
);
const { hostname, port, pathname, search } = new URL(url);
const head = Object.entries({ host: `${hostname}:${port}`, ...headers })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

const get = Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\n${head}\r\n`);
const posts = Array.from({ length: method === 'POST' ? peers : 0 }, (_, n) => {
  const ping = JSON.stringify({
    nodeId: `node_${n}`,
    lat: ((n * 7) % 170) - 85,
    lng: ((n * 13) % 360) - 180,
    label: `node ${n}`,
    class: 'M',
    region: 'EU',
    status: 'online',
  });
  return Buffer.from(
    `POST ${pathname} HTTP/1.1\r\n${head}content-length: ${ping.length}\r\n\r\n${ping}`,
  );
});
// As a fleet does: in no order.
const nextRequest = () => (method === 'POST' ? posts[Math.floor(Math.random() * peers)] : get);

/** Milliseconds each. */
const latencies = [];
let bad = 0;
const expected = headers['if-none-match'] ? [304] : [200, 201];

/** One connection, with one request under way at a time. */
class Connection {
  #left = 0;
  #head = '';
  #dueAt = 0;
  onIdle = () => {};

  constructor() {
    this.socket = connect(Number(port), hostname).setNoDelay();
    this.socket.on('data', (chunk) => this.#read(chunk));
    this.socket.on('error', () => bad++);
  }

  /** @param dueAt when it should have been sent: what waits for a connection counts as slow */
  send(dueAt) {
    this.#dueAt = dueAt;
    this.socket.write(nextRequest());
  }

  #read(chunk) {
    if (this.#left > 0) this.#left -= chunk.length;
    else {
      this.#head += chunk.latin1Slice();
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!expected.includes(Number(this.#head.slice(9, 12)))) bad++;
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#head.slice(0, end + 2));
      this.#left = Number(length?.[1] ?? 0) - (this.#head.length - end - 4);
      this.#head = '';
    }
    if (this.#left > 0) return;
    latencies.push(performance.now() - this.#dueAt);
    this.onIdle();
  }
}

const all = Array.from({ length: connections }, () => new Connection());
await Promise.all(all.map(({ socket }) => new Promise((open) => socket.once('connect', open))));
const startedAt = performance.now();
const endsAt = startedAt + seconds * 1000;
const cpu = process.cpuUsage();

if (rate === undefined)
  // As many as possible: each connection sends its next request as soon as it has an answer.
  for (const connection of all) {
    connection.onIdle = () => {
      const now = performance.now();
      if (now < endsAt) connection.send(now);
    };
    connection.send(startedAt);
  }
else {
  // At this rate, however slow the answers: an open loop.
  const idle = [...all];
  let sent = 0;
  const send = () => {
    const due = Math.floor(((Math.min(performance.now(), endsAt) - startedAt) / 1000) * rate);
    while (sent < due && idle.length > 0) idle.pop().send(startedAt + (++sent / rate) * 1000);
  };
  for (const connection of all)
    connection.onIdle = () => {
      idle.push(connection);
      send();
    };
  const timer = setInterval(send, 1);
  setTimeout(() => clearInterval(timer), seconds * 1000);
}

await new Promise((resolve) => setTimeout(resolve, seconds * 1000 + 200));
const took = (performance.now() - startedAt - 200) / 1000;
const { user, system } = process.cpuUsage(cpu);
latencies.sort((a, b) => a - b);
const quantile = (q) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))];
console.log(
  JSON.stringify({
    perSecond: latencies.length / took,
    bad,
    p50: quantile(0.5) ?? null,
    p99: quantile(0.99) ?? null,
    busy: (user + system) / 1e6 / took,
  }),
);
process.exit();
