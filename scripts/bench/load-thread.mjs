// One thread of the load generator: its share of the connections, each with one request under way at a time.
import { connect } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { ResponseReader } from './response-reader.mjs';
import { SignedRequests } from './signed-requests.mjs';

/** @type {import('./load.ts').LoadOptions} */
const { url, method, headers, connections, seconds, rate, nodes, signed } = workerData;
/** How long after the end an answer is waited for. One that still has not come then counts with its age. */
const GRACE_SECONDS = 10;

const { hostname, port } = new URL(url);
const path = url.slice(url.indexOf('/', 'http://'.length));
const head = Object.entries({ host: `${hostname}:${port}`, ...headers })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

const makePing = (n) =>
  JSON.stringify({
    nodeId: `node_${n}`,
    lat: ((n * 7) % 170) - 85,
    lng: ((n * 13) % 360) - 180,
    label: `node ${n}`,
    class: 'M',
    region: 'EU',
    status: 'online',
  });

function makeRequest(n) {
  const line = `${method} ${path.replace('{n}', String(n))} HTTP/1.1\r\n${head}`;
  if (method === 'GET') return Buffer.from(`${line}\r\n`);
  const ping = makePing(n);
  return Buffer.from(`${line}content-length: ${ping.length}\r\n\r\n${ping}`);
}
const variants = method === 'POST' || path.includes('{n}') ? nodes : 1;
const requests = new Array(variants);
const signing = signed ? new SignedRequests({ path, head, nodes, makePing, seconds }) : null;
/** In random order, as a fleet sends its heartbeats. */
const nextRequest = () => {
  if (signing) return signing.next();
  const n = Math.floor(Math.random() * variants);
  return (requests[n] ??= makeRequest(n));
};

/** In microseconds. */
const latencies = createHistogram();
const count = { due: 0, answered: 0, bad: 0, late: 0 };
const expected = headers['if-none-match'] ? [304] : [200, 201];
/** All connections of the thread read into it: each reads to its end before the next one does. */
const buffer = Buffer.allocUnsafe(256 * 1024);

let endsAt = 0;
class Connection {
  #dueAt = 0;
  #busy = false;
  #used = false;
  #open = false;
  #request;

  open() {
    const reader = new ResponseReader();
    this.#used = false;
    this.#open = true;
    this.socket = connect({
      port: Number(port),
      host: hostname,
      noDelay: true,
      onread: {
        buffer,
        callback: (length, bytes) => {
          this.#used = true;
          if (reader.push(bytes.subarray(0, length))) this.#finish(reader.status);
          return true;
        },
      },
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => this.#closed());
    return new Promise((resolve) => this.socket.once('connect', resolve));
  }

  /** @param dueAt when it should have been sent: what waits for a free connection counts as slow */
  send(dueAt) {
    this.#dueAt = dueAt;
    this.#busy = true;
    this.#request = nextRequest();
    if (!this.#open) void this.open();
    this.socket.write(this.#request);
  }

  #finish(status) {
    // A server may say 408 to a connection that sends nothing, before it closes it.
    if (!this.#busy) return;
    this.#busy = false;
    const now = performance.now();
    latencies.record(Math.max(1, Math.round((now - this.#dueAt) * 1000)));
    if (!expected.includes(status)) count.bad++;
    else if (now <= endsAt) count.answered++;
    onFree(this);
  }

  /** A server closes a connection that was idle for long: clients then send their request again. */
  #closed() {
    this.#open = false;
    if (!this.#busy) return;
    if (!this.#used) return this.#finish(0);
    void this.open();
    this.socket.write(this.#request);
  }

  /** Counts the request that has no answer. */
  giveUp(now) {
    if (!this.#busy) return;
    count.late++;
    latencies.record(Math.round((now - this.#dueAt) * 1000));
  }
}

const all = Array.from({ length: connections }, () => new Connection());
await Promise.all(all.map((connection) => connection.open()));
const started = new Promise((resolve) => parentPort.once('message', resolve));
parentPort.postMessage('ready');
await started;

const startedAt = performance.now();
endsAt = startedAt + seconds * 1000;
let sent = 0;
let waiting = connections;
let onFree;
const dueAt = (n) => startedAt + (n / rate) * 1000;
if (rate === undefined) {
  // As many as possible: each connection sends its next request as soon as it has an answer.
  onFree = (connection) => {
    const now = performance.now();
    if (now < endsAt) {
      count.due++;
      connection.send(now);
    } else waiting--;
  };
  all.forEach(onFree);
  await sleep(seconds * 1000);
} else {
  // At this rate, however slow the answers: an open loop.
  const free = [...all];
  const send = () => {
    const elapsed = Math.min(performance.now(), endsAt) - startedAt;
    count.due = Math.floor((elapsed / 1000) * rate);
    while (sent < count.due && free.length > 0) free.pop().send(dueAt(++sent));
    waiting = connections - free.length;
  };
  onFree = (connection) => {
    free.push(connection);
    send();
  };
  const timer = setInterval(send, 1);
  await sleep(seconds * 1000);
  clearInterval(timer);
}

const deadline = performance.now() + GRACE_SECONDS * 1000;
while ((waiting > 0 || (rate && sent < count.due)) && performance.now() < deadline) await sleep(5);
for (const connection of all) connection.giveUp(performance.now());
while (rate && sent < count.due) {
  count.late++;
  latencies.record(Math.round((performance.now() - dueAt(++sent)) * 1000));
}
parentPort.postMessage({ ...count, latencies });
