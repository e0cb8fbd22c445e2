import {
  createServer,
  ServerResponse,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';

/** The HTTP server: its timeouts, and a clean shutdown. */

/** Milliseconds. A whole request gets the time that a 2 MB file takes at 20 kB/s. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 75_000,
  // By default every 30 s: slow headers would live up to 40 s.
  connectionsCheckingInterval: 1000,
};
/** After close(), idle connections stay open this long, because a request may be on its way, milliseconds. */
const CLOSE_GRACE_MS = 300;
/** After close(), requests in flight get this long, milliseconds. */
const CLOSE_TIMEOUT_MS = 10_000;

export interface HttpServer {
  /** Resolves with the URL for a client on this machine. */
  listen(port: number, host: string): Promise<string>;
  /** Accepts no more connections. Resolves when every request has been answered or has timed out. */
  close(): Promise<void>;
}

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
): HttpServer {
  let closing = false;
  /** While the server closes, every answer ends its connection. */
  class Response extends ServerResponse {
    override writeHead(...head: unknown[]): this {
      if (closing) this.shouldKeepAlive = false;
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>));
    }
  }
  const answer = before(listener);
  const server = createServer(
    { ...TIMEOUTS, ...timeouts, ServerResponse: Response },
    (request, response) => {
      if (hasOneHost(request)) answer(request, response);
      else response.writeHead(400, { connection: 'close' }).end();
    },
  );
  const { unused } = limitConnections(server, maxConnections);

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve(localUrl(server.address() as AddressInfo));
        });
      }),
    async close() {
      closing = true;
      // The method of net, because that of http closes idle connections at once, even if a request is on its
      // way, which would then get no answer.
      const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
      // After reading what waits in the sockets: those connections are not idle.
      const closeIdle = () =>
        setImmediate(() => {
          server.closeIdleConnections();
          for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
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

/** A proxy and this server might each go by another one (RFC 9112, section 3.2). Node refuses a request without any. */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts < 2;
}

/**
 * Closes connections that wait while others want in: first those that have sent no request yet, then idle
 * ones, the oldest first. If every connection has a request in flight, the new one is closed.
 * @returns the connections without any request yet: browsers open some in advance, and
 *   closeIdleConnections() does not count them as idle
 */
function limitConnections(server: Server, max: number): { unused: ReadonlySet<Socket> } {
  // Sets keep the order of insertion: the oldest is first.
  const unused = new Set<Socket>();
  const idle = new Set<Socket>();
  const open = new Set<Socket>();
  const forget = (socket: Socket) => {
    for (const sockets of [open, unused, idle]) sockets.delete(socket);
  };
  server.on('connection', (socket: Socket) => {
    const victim = first(unused) ?? first(idle) ?? socket;
    open.add(socket);
    unused.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size <= max) return;
    forget(victim);
    victim.destroy();
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    unused.delete(socket);
    idle.delete(socket);
    response.once('close', () => {
      if (open.has(socket)) idle.add(socket);
    });
  });
  return { unused };
}

const first = (sockets: Set<Socket>): Socket | undefined => sockets.values().next().value;

function localUrl({ address, port, family }: AddressInfo): string {
  const unspecified = address === '0.0.0.0' || address === '::';
  const host = unspecified ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
