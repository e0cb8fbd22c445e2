import {
  createServer,
  ServerResponse,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';

/** The HTTP server: its timeouts, the limit of its connections, and a clean shutdown. */

/** Milliseconds. A whole request gets the time that a 2 MB file takes at 20 kB/s. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 75_000,
  // Node checks every 30 s by default: slow headers would live up to 40 s.
  connectionsCheckingInterval: 1000,
};
/** After close(), idle connections stay open this long, because a request may be on its way, milliseconds. */
const CLOSE_GRACE_MS = 300;
/** After close(), requests in flight get this long, milliseconds. */
const CLOSE_TIMEOUT_MS = 10_000;

export interface HttpServerOptions {
  /** Wraps the listener and passes on what it does not answer itself. */
  before?: ((next: RequestListener) => RequestListener) | undefined;
  /** Above it, the oldest connection without a request in flight is closed for each new one. */
  maxConnections?: number;
  timeouts?: Partial<typeof TIMEOUTS>;
}

export function createHttpServer(
  listener: RequestListener,
  { before = (next) => next, maxConnections = Infinity, timeouts }: HttpServerOptions = {},
) {
  let closing = false;
  /** While the server drains or closes, every response ends its connection. */
  class ClosingResponse extends ServerResponse {
    override writeHead(...head: unknown[]): this {
      if (closing) this.shouldKeepAlive = false;
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>));
    }
  }
  const respond = before(listener);
  const connections = new Connections(maxConnections);
  const server = createServer(
    { ...TIMEOUTS, ...timeouts, ServerResponse: ClosingResponse },
    (request, response) => {
      connections.responds(request.socket, response);
      if (hasOneHost(request)) respond(request, response);
      else response.writeHead(400, { connection: 'close' }).end();
    },
  );
  server.on('connection', (socket: Socket) => connections.add(socket));

  return {
    /** Resolves with the URL for a client on this machine. */
    listen: (port: number, host: string) =>
      new Promise<string>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve(localUrl(server.address() as AddressInfo));
        });
      }),
    /** From now on, every response ends its connection. New connections are accepted. */
    drain(): void {
      closing = true;
    },
    /** Accepts no more connections. Resolves when every request has been answered or has timed out. */
    async close(): Promise<void> {
      closing = true;
      // The method of net, because that of http closes idle connections at once, even if a request is on its
      // way, which would then get no answer.
      const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
      // What waits in the sockets is read first: those connections are not idle.
      const closeIdle = () =>
        setImmediate(() => {
          server.closeIdleConnections();
          for (const socket of connections.unused()) if (socket.bytesRead === 0) socket.destroy();
        });
      let idle: NodeJS.Timeout | undefined;
      const grace = setTimeout(() => (idle = setInterval(closeIdle, 50)), CLOSE_GRACE_MS);
      const limit = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
      await closed;
      clearTimeout(grace);
      clearInterval(idle);
      clearTimeout(limit);
    },
  };
}

/** With two hosts, a proxy and this server might each believe another one (RFC 9112, section 3.2). Node refuses a request without any. */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts < 2;
}

/**
 * The open connections. Above `max`, connections that wait are closed for new ones: first those that have sent no
 * request yet, then idle ones, the oldest first. If every connection has a request in flight, the new one is closed.
 */
class Connections {
  /** The oldest is first: a set keeps the order of insertion. */
  readonly #open = new Set<Socket>();
  readonly #lastResponse = new WeakMap<Socket, ServerResponse>();

  constructor(private readonly max: number) {}

  add(socket: Socket): void {
    if (this.#open.size >= this.max) this.#victim(socket).destroy();
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Called for every request, so it does no more than this. */
  responds(socket: Socket, response: ServerResponse): void {
    this.#lastResponse.set(socket, response);
  }

  /** The connections without any request yet: browsers open some in advance, and closeIdleConnections() leaves them open. */
  unused(): Socket[] {
    return [...this.#open].filter((socket) => !this.#lastResponse.has(socket));
  }

  #victim(newcomer: Socket): Socket {
    let idle: Socket | undefined;
    for (const socket of this.#open) {
      if (socket.destroyed) continue;
      const response = this.#lastResponse.get(socket);
      if (!response) return socket;
      if (response.writableFinished) idle ??= socket;
    }
    return idle ?? newcomer;
  }
}

function localUrl({ address, port, family }: AddressInfo): string {
  const unspecified = address === '0.0.0.0' || address === '::';
  const host = unspecified ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

/** File descriptors for the database, files being sent and outgoing requests. */
const RESERVE = 100;
/** The share of the other descriptors that connections get: a connection that is sent a file takes two. */
const SHARE = 0.8;

/**
 * As many connections as the process's limit of open files allows, with a reserve: without descriptors, it
 * could accept nobody and open nothing. Call it before connections exist: the report names their hosts.
 */
export function defaultMaxConnections(limit = openFilesLimit()): number {
  return Math.max(1, Math.floor((limit - RESERVE) * SHARE));
}

/** The limit; Infinity where there is none, or the system does not say. */
function openFilesLimit(): number {
  const { userLimits } = (process.report?.getReport() ?? {}) as {
    userLimits?: { open_files?: { soft?: number | string } };
  };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isNaN(limit) ? Infinity : limit;
}
