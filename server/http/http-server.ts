import { createServer, ServerResponse, type RequestListener } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';

/** The HTTP server: its limits, and an end in good order. */

/** A client gets 10 s for its headers, and for all of a request what a file of 2 MB takes at 20 kB/s (ms). */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 120_000, keepAliveTimeout: 75_000 };
/** After close(), a connection that is idle for so long is closed (ms): a request may be on its way. */
const CLOSE_GRACE_MS = 300;
/** Requests in flight get this long after close() (ms). */
const CLOSE_LIMIT_MS = 10_000;

export interface HttpServer {
  /** Resolves with the address for a client on this machine. */
  listen(port: number, host: string): Promise<string>;
  /** Takes no more connections; resolves when every request that came was answered, or has run out of time. */
  close(): Promise<void>;
}

/** @param before asked before `listener`, which it calls for what is not its own */
export function createHttpServer(
  listener: RequestListener,
  before: (next: RequestListener) => RequestListener = (next) => next,
): HttpServer {
  let closing = false;
  /** While the server closes, each answer tells its client not to keep the connection. */
  class Response extends ServerResponse {
    override writeHead(...head: unknown[]): this {
      if (closing) this.shouldKeepAlive = false;
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>));
    }
  }
  const server = createServer({ ...LIMITS, ServerResponse: Response }, before(listener));

  // Connections on which nothing has come yet: browsers open some ahead, and for
  // closeIdleConnections() they are not idle.
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));

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
      // Of net, not of http: that one closes idle connections at once, also those on which a request
      // is on its way, and the client gets no answer.
      const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
      // Requests that wait in the sockets are read first: then their connections are not idle.
      const closeIdle = () =>
        setImmediate(() => {
          server.closeIdleConnections();
          for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
        });
      let idle: NodeJS.Timeout | undefined;
      const grace = setTimeout(() => (idle = setInterval(closeIdle, 50)), CLOSE_GRACE_MS);
      const limit = setTimeout(() => server.closeAllConnections(), CLOSE_LIMIT_MS);
      await closed;
      clearTimeout(grace);
      clearInterval(idle);
      clearTimeout(limit);
    },
  };
}

function localUrl({ address, port, family }: AddressInfo): string {
  const unspecified = address === '0.0.0.0' || address === '::';
  const host = unspecified ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
