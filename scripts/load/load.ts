import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'hdr-histogram-js';
import type { LoadOptions } from './generator.ts';
import { createRequests } from './requests.ts';
import { ResponseReader } from './response-reader.ts';

/** How long after the end an answer is waited for. One that still has not come then counts with its age. */
const GRACE_MS = 10_000;
/** All connections read into it: each reads to its end before the next one does. */
const buffer = Buffer.allocUnsafe(256 * 1024);

/** Sends one load. Its connections have one request under way at a time. */
export async function sendLoad(options: LoadOptions) {
  const { url, headers, connections, seconds, rate } = options;
  const expected = 'if-none-match' in headers ? [304] : [200, 201];
  const nextRequest = createRequests(options);
  const latenciesUs = build();
  const count = { due: 0, answered: 0, bad: 0, late: 0 };
  const record = (ms: number) => latenciesUs.recordValue(Math.max(1, Math.round(ms * 1000)));
  let startedAt = 0;
  let endsAt = Infinity;
  let sent = 0;

  const onAnswer = (connection: Connection, status: number) => {
    const now = performance.now();
    record(now - connection.dueAt);
    if (!expected.includes(status)) count.bad++;
    else if (now <= endsAt) count.answered++;
    onFree(connection);
  };
  const all = Array.from({ length: connections }, () => new Connection(url, onAnswer));
  await Promise.all(all.map((connection) => connection.open()));

  const free: Connection[] = [];
  const dueAt = (n: number) =>
    rate === undefined ? performance.now() : startedAt + (n / rate) * 1000;
  /** Sends what is due, as far as there are free connections: as many as possible, or at the rate. */
  const sendDue = () => {
    const now = performance.now();
    if (rate !== undefined)
      count.due = Math.floor(((Math.min(now, endsAt) - startedAt) / 1000) * rate);
    else if (now < endsAt) count.due = sent + free.length;
    while (sent < count.due && free.length > 0) free.pop()?.send(nextRequest(), dueAt(++sent));
  };
  const onFree = (connection: Connection) => {
    free.push(connection);
    sendDue();
  };

  const cpu = process.cpuUsage();
  startedAt = performance.now();
  endsAt = startedAt + seconds * 1000;
  free.push(...all);
  sendDue();
  const timer = setInterval(sendDue, 1);
  await sleep(seconds * 1000);
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  sendDue();

  const deadline = performance.now() + GRACE_MS;
  while ((free.length < connections || sent < count.due) && performance.now() < deadline)
    await sleep(5);
  const now = performance.now();
  for (const connection of all) {
    if (connection.isBusy) {
      count.late++;
      record(now - connection.dueAt);
    }
    connection.close();
  }
  while (sent < count.due) {
    count.late++;
    record(now - dueAt(++sent));
  }
  return { ...count, latenciesUs, busy: (user + system) / 1e6 / seconds };
}

class Connection {
  /** When the present request should have been sent: what waits for a free connection counts as slow. */
  dueAt = 0;
  isBusy = false;
  readonly #port: number;
  readonly #host: string;
  readonly #onAnswer: (connection: Connection, status: number) => void;
  #socket: Socket | undefined;
  #request: Buffer | undefined;
  /** Whether this socket has received anything. */
  #used = false;
  #closing = false;

  constructor(url: string, onAnswer: (connection: Connection, status: number) => void) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#onAnswer = onAnswer;
  }

  open(): Promise<void> {
    const reader = new ResponseReader();
    this.#used = false;
    const socket = connect({
      port: this.#port,
      host: this.#host,
      noDelay: true,
      onread: {
        buffer,
        callback: (length, bytes) => {
          this.#used = true;
          if (reader.push((bytes as Buffer).subarray(0, length))) this.#finish(reader.status);
          return true;
        },
      },
    });
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('close', () => this.#closed());
    return new Promise((resolve) => socket.once('connect', resolve));
  }

  send(request: Buffer, dueAt: number): void {
    this.dueAt = dueAt;
    this.isBusy = true;
    this.#request = request;
    if (!this.#socket) void this.open();
    this.#write();
  }

  close(): void {
    this.#closing = true;
    this.#socket?.destroy();
  }

  #finish(status: number): void {
    // A server may say 408 to a connection that sends nothing, before it closes it.
    if (!this.isBusy) return;
    this.isBusy = false;
    this.#onAnswer(this, status);
  }

  /** A server closes a connection that was idle for long: clients then send their request again. */
  #closed(): void {
    this.#socket = undefined;
    if (!this.isBusy || this.#closing) return;
    if (!this.#used) return this.#finish(0);
    void this.open();
    this.#write();
  }

  #write(): void {
    if (this.#request) this.#socket?.write(this.#request);
  }
}
