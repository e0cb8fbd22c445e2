import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { networkOf } from '@mesh-registry/protocol/ip-network.ts';

export interface ConnectionLimits {
  /** Open ones. Above it, another one is closed for each new one. */
  max: number;
  /** Slow requests that one client may have: an IPv4 address, or a /64 network. */
  unfinishedPerClient: number;
  /** Whether this machine counts as one client too. It does not: proxies run here. */
  countLoopback: boolean;
  /** A request whose headers or body take longer than this is slow, milliseconds. */
  slowMs: number;
  /** The body of a request has this long after its headers, milliseconds, unless it is an upload. */
  bodyMs: number;
  /** A client that reads nothing of its answer for this long is dropped, milliseconds. */
  unreadMs: number;
  /** How often connections are looked at, milliseconds. */
  checkMs: number;
}

interface Connection {
  socket: Socket;
  /** To its newest request; null before the first, and while it is idle. */
  response: ServerResponse | null;
  state: Set<Connection>;
  /** When its newest request came, or it was opened, milliseconds, monotonic. */
  since: number;
}

/** Connections that are looked at in one turn of the event loop: some tens of microseconds. */
const SLICE = 500;

/** 127.0.0.0/8, and the network of `::1`. */
const LOOPBACK = /^127\.|^0:0:0:0$/;

/** Requests with a large body, which is still to come. */
const uploads = new WeakSet<IncomingMessage>();

/** Larger bodies get the server's whole time, bytes. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** Gives a request whose sender may send a large body the server's whole time for it. */
export const expectUpload = (request: IncomingMessage): void => void uploads.add(request);

/**
 * The open connections, by what they are doing. Above the limit one is closed for each new one: first the one whose request
 * has been unfinished longest (in its headers or its body), then the one whose answer has been unread longest, then the
 * longest idle one. If all are at work, the new one is closed.
 *
 * A request only marks its connection as busy. What has become of it is found by a look at all connections once a second,
 * in slices, or when there is no other to close.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  // Sets keep the order of insertion: the oldest is first.
  readonly #unfinished = new Set<Connection>();
  readonly #unread = new Set<Connection>();
  readonly #idle = new Set<Connection>();
  readonly #busy = new Set<Connection>();

  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly limits: ConnectionLimits) {}

  /** Looks at all connections now and then, from now on. */
  start(): void {
    const again = () => this.#timer && this.start();
    this.#timer = setTimeout(() => void this.#look().then(again), this.limits.checkMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  add(socket: Socket): void {
    if (this.#open.size >= this.limits.max && !this.#closeOne()) {
      socket.destroy();
      return;
    }
    const state = this.#unfinished;
    const connection = { socket, response: null, state, since: performance.now() };
    this.#open.set(socket, connection);
    state.add(connection);
    socket.once('close', () => {
      this.#open.delete(socket);
      connection.state.delete(connection);
    });
  }

  /** Called for every request, so it does no more than this. */
  responds(socket: Socket, response: ServerResponse): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.response = response;
    connection.since = performance.now();
    if (connection.state !== this.#busy) move(connection, this.#busy);
  }

  /** The connections that nothing has come from: browsers open some in advance, and closeIdleConnections() leaves them open. */
  unused(): Socket[] {
    return [...this.#unfinished].flatMap(({ socket, response }) =>
      response === null && socket.bytesRead === 0 ? socket : [],
    );
  }

  #closeOne(): boolean {
    const unneeded = () => this.#first(this.#unfinished) ?? this.#first(this.#unread);
    let found = unneeded();
    if (!found) {
      this.#settleSome();
      found = unneeded() ?? this.#first(this.#idle);
    }
    found?.socket.destroy();
    return found !== undefined;
  }

  /** The first that is in this state still; it finds out about a few at most. */
  #first(state: Set<Connection>): Connection | undefined {
    let left = SLICE;
    for (const connection of state) {
      if (left-- === 0) break;
      this.#settle(connection);
      if (connection.state === state && !connection.socket.destroyed) return connection;
    }
    return undefined;
  }

  /** Finds out about a few that were busy: others each time. */
  #settleSome(): void {
    let left = SLICE;
    for (const connection of this.#busy) {
      if (left-- === 0) return;
      this.#settle(connection);
      if (connection.state === this.#busy) move(connection, this.#busy);
    }
  }

  #settle(connection: Connection): void {
    const { response, state } = connection;
    if (state === this.#idle || response === null) return;
    const now = !response.req.complete
      ? this.#unfinished
      : response.writableFinished
        ? this.#idle
        : response.writableLength > 0
          ? this.#unread
          : this.#busy;
    if (now === state) return;
    move(connection, now);
    // An idle connection keeps nothing of its last request in memory.
    if (now === this.#idle) connection.response = null;
  }

  async #look(): Promise<void> {
    const slow = new Map<string, Connection[]>();
    let looked = 0;
    for (const connection of [...this.#busy, ...this.#unread, ...this.#unfinished]) {
      if (++looked % SLICE === 0) await turn();
      if (connection.socket.destroyed) continue;
      this.#settle(connection);
      this.#timeUnread(connection);
      if (connection.state !== this.#unfinished) continue;
      const ms = performance.now() - connection.since;
      if (ms > this.limits.bodyMs) this.#endSlowBody(connection);
      if (ms > this.limits.slowMs && !connection.socket.destroyed) this.#group(slow, connection);
    }
    const { unfinishedPerClient } = this.limits;
    for (const ofClient of slow.values())
      if (ofClient.length > unfinishedPerClient)
        for (const { socket } of ofClient
          .sort((a, b) => b.since - a.since)
          .slice(unfinishedPerClient))
          socket.destroy();
  }

  /** The socket's own timer knows whether a large write makes progress. */
  #timeUnread({ socket, state }: Connection): void {
    const { unreadMs } = this.limits;
    if (state === this.#unread) {
      if (socket.timeout !== unreadMs) socket.setTimeout(unreadMs);
    } else if (socket.timeout === unreadMs) socket.setTimeout(0);
  }

  /** Slow headers are ended by the HTTP server, by its own time. */
  #endSlowBody({ socket, response }: Connection): void {
    if (response === null || uploads.has(response.req)) return;
    if (response.socket === socket && !response.headersSent)
      socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    socket.destroy();
  }

  /** By the client's network, which is forgotten at the end of each look. */
  #group(slow: Map<string, Connection[]>, connection: Connection): void {
    const { remoteAddress } = connection.socket;
    const { unfinishedPerClient, countLoopback } = this.limits;
    if (remoteAddress === undefined || unfinishedPerClient === Infinity) return;
    const network = networkOf(remoteAddress);
    if (LOOPBACK.test(network) && !countLoopback) return;
    const ofClient = slow.get(network);
    if (ofClient) ofClient.push(connection);
    else slow.set(network, [connection]);
  }
}

function move(connection: Connection, to: Set<Connection>): void {
  connection.state.delete(connection);
  to.add(connection);
  connection.state = to;
}
