import { createServer, ServerResponse, type RequestListener } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';

/** The HTTP server: its timeouts, and a clean shutdown. */

/** Milliseconds. A whole request gets the time that a 2 MB file takes at 20 kB/s. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 120_000, keepAliveTimeout: 75_000 };
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

/** @param before wraps `listener` and passes on what it does not answer itself */
export function createHttpServer(
  listener: RequestListener,
  before: (next: RequestListener) => RequestListener = (next) => next,
): HttpServer {
  let closing = false;
  /** While the server closes, every answer ends its connection. */
  class Response extends ServerResponse {
    override writeHead(...head: unknown[]): this {
      if (closing) this.shouldKeepAlive = false;
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>));
    }
  }
  const server = createServer({ ...TIMEOUTS, ServerResponse: Response }, before(listener));

  // Connections without any request yet: browsers open some in advance, and closeIdleConnections() does not
  // count them as idle.
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

function localUrl({ address, port, family }: AddressInfo): string {
  const unspecified = address === '0.0.0.0' || address === '::';
  const host = unspecified ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
