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
  /** A request whose headers or body take longer than this is slow, and so is a client that takes nothing of its answer, milliseconds. */
  slowMs: number;
  /** The body of a request has this long after its headers, milliseconds, unless it is an upload. */
  bodyMs: number;
  /** A client that takes nothing of its answer for this long is dropped, milliseconds. */
  unreadMs: number;
  /** How often connections are looked at, milliseconds. */
  checkMs: number;
}

interface Connection {
  socket: Socket;
  /** To its newest request; null before the first, and while it is idle. */
  response: ServerResponse | null;
  state: Set<Connection>;
  /** When it was opened, its newest request came, or its client was last seen to take some of an answer, milliseconds, monotonic. */
  since: number;
  /** What its client had taken of all answers when that was last looked at, bytes. */
  taken: number;
}

/** Connections that are looked at in one turn of the event loop: some tens of microseconds. */
const SLICE = 500;

/** Unfinished requests, or unread answers, are a crowd if they have a larger share of all connections than this. Then the oldest is slow enough. */
const CROWD = 1 / 4;

/** 127.0.0.0/8, and the network of `::1`. */
const LOOPBACK = /^127\.|^0:0:0:0$/;

/** Requests with a large body, which is still to come. */
const uploads = new WeakSet<IncomingMessage>();

/** Larger bodies get the server's whole time, bytes. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** Gives a request whose sender may send a large body the server's whole time for it. */
export const expectUpload = (request: IncomingMessage): void => void uploads.add(request);

/**
 * The open connections, by what they are doing. Above the limit one is closed for each new one: the slow request that is
 * oldest, in its headers or its body; then the answer of which nothing has been taken for longest, if that is slow; then the
 * connection that has been idle longest. Only where there is none of these, a request or an answer that is not slow gives
 * way, then an upload, and then one that has only just been opened. If all are at work, the new one is closed.
 *
 * A request only marks its connection as busy. What has become of it is found by a look at all connections once a second,
 * in slices, or when there is no other to close.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  // Sets keep the order of insertion: the oldest is first.
  /** What they have sent has not been read yet. */
  readonly #arriving = new Set<Connection>();
  readonly #unfinished = new Set<Connection>();
  readonly #uploads = new Set<Connection>();
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
    const state = this.#arriving;
    const connection = { socket, response: null, state, since: performance.now(), taken: 0 };
    this.#open.set(socket, connection);
    state.add(connection);
    void this.#arrive(connection);
    socket.once('close', () => {
      this.#open.delete(socket);
      connection.state.delete(connection);
    });
  }

  /** What has come by now is read in the next turn of the event loop. */
  async #arrive(connection: Connection): Promise<void> {
    await turn();
    await turn();
    if (connection.state === this.#arriving && !connection.socket.destroyed)
      move(connection, this.#unfinished);
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
    return [...this.#unfinished, ...this.#arriving].flatMap(({ socket, response }) =>
      response === null && socket.bytesRead === 0 ? socket : [],
    );
  }

  #closeOne(): boolean {
    let found = this.#firstSlow();
    if (!found) {
      this.#settleSome();
      found =
        this.#firstSlow() ??
        this.#first(this.#idle) ??
        this.#first(this.#unread) ??
        this.#first(this.#unfinished) ??
        this.#first(this.#uploads) ??
        this.#first(this.#arriving);
    }
    found?.socket.destroy();
    return found !== undefined;
  }

  #firstSlow(): Connection | undefined {
    const { max, slowMs } = this.limits;
    const slow = (state: Set<Connection>) =>
      this.#first(state, state.size > max * CROWD ? 0 : slowMs);
    return slow(this.#unfinished) ?? slow(this.#unread);
  }

  /** The first that is in this state still, if it has been for some time; it finds out about a few at most. */
  #first(state: Set<Connection>, ms = 0): Connection | undefined {
    let left = SLICE;
    for (const connection of state) {
      if (left-- === 0) break;
      const { since, socket } = connection;
      this.#settle(connection);
      const isSame = connection.state === state && connection.since === since;
      // The others are younger.
      if (isSame && !socket.destroyed)
        return performance.now() - since < ms ? undefined : connection;
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
    const now = this.#stateOf(response);
    if (now === this.#unread) this.#seeProgress(connection);
    else if (now !== state) move(connection, now);
    // An idle connection keeps nothing of its last request in memory.
    if (now === this.#idle) connection.response = null;
  }

  #stateOf(response: ServerResponse): Set<Connection> {
    if (!response.req.complete) return uploads.has(response.req) ? this.#uploads : this.#unfinished;
    if (response.writableFinished) return this.#idle;
    return response.writableLength > 0 ? this.#unread : this.#busy;
  }

  /** Whoever has taken nothing for longest is first. */
  #seeProgress(connection: Connection): void {
    const taken = takenBy(connection.socket);
    if (connection.state === this.#unread && taken === connection.taken) return;
    connection.taken = taken;
    connection.since = performance.now();
    move(connection, this.#unread);
  }

  async #look(): Promise<void> {
    const { bodyMs, slowMs, unreadMs } = this.limits;
    const slow = new Map<string, Connection[]>();
    let looked = 0;
    for (const connection of [
      ...this.#busy,
      ...this.#unread,
      ...this.#unfinished,
      ...this.#uploads,
    ]) {
      if (++looked % SLICE === 0) await turn();
      if (connection.socket.destroyed) continue;
      this.#settle(connection);
      const ms = performance.now() - connection.since;
      if (connection.state === this.#unread && ms > unreadMs) connection.socket.destroy();
      if (connection.state !== this.#unfinished) continue;
      if (ms > bodyMs) this.#endSlowBody(connection);
      if (ms > slowMs && !connection.socket.destroyed) this.#group(slow, connection);
    }
    const { unfinishedPerClient } = this.limits;
    for (const ofClient of slow.values())
      if (ofClient.length > unfinishedPerClient)
        for (const { socket } of ofClient
          .sort((a, b) => b.since - a.since)
          .slice(unfinishedPerClient))
          socket.destroy();
  }

  /** Slow headers are ended by the HTTP server, by its own time. */
  #endSlowBody({ socket, response }: Connection): void {
    if (response === null) return;
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

/**
 * What the system has taken of what a client is sent, bytes. Node counts it for the timer of its sockets, which what the
 * client sends sets back as well.
 */
function takenBy(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
