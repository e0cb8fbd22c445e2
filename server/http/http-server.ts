import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { Connections, type ConnectionLimits } from './connections.ts';
import { largeResponse, LargeAnswers } from './large-answers.ts';

/** The HTTP server: its timeouts, the limits of its connections, and a clean shutdown. */

/** Milliseconds. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  // Of an upload, for which a 2 MB file at 20 kB/s has the time. Other bodies have less (LIMITS).
  requestTimeout: 120_000,
  keepAliveTimeout: 75_000,
  // Node checks every 30 s by default: slow headers would live up to 40 s.
  connectionsCheckingInterval: 1000,
};
const LIMITS: ConnectionLimits = {
  max: Infinity,
  unfinishedPerClient: Infinity,
  countLoopback: false,
  slowMs: 2000,
  bodyMs: 10_000,
  unreadMs: 30_000,
  checkMs: 1000,
};
/**
 * Connections that the system keeps until they are accepted; Linux allows 4,096 unless it is set otherwise. Slow clients
 * that were closed together come back together: with Node's 511, a newcomer would have to knock again after 1, 3 or 7 s.
 */
const BACKLOG = 4096;
/** After close(), idle connections stay open this long, because a request may be on its way, milliseconds. */
const CLOSE_GRACE_MS = 300;
/** After close(), requests in flight get this long, milliseconds. */
const CLOSE_TIMEOUT_MS = 10_000;

export interface HttpServerOptions {
  /** Wraps the listener and passes on what it does not answer itself. */
  before?: ((next: RequestListener) => RequestListener) | undefined;
  timeouts?: Partial<typeof TIMEOUTS>;
  /** By default the number of connections has no limit. */
  limits?: Partial<ConnectionLimits>;
  /** Tests have fewer. */
  largeAnswers?: LargeAnswers;
}

export function createHttpServer(
  listener: RequestListener,
  {
    before = (next) => next,
    timeouts,
    limits,
    largeAnswers = new LargeAnswers(),
  }: HttpServerOptions = {},
) {
  let closing = false;
  /** While the server drains or closes, every response ends its connection. */
  class ClosingResponse extends largeResponse(largeAnswers) {
    override writeHead(...head: unknown[]): this {
      if (closing) this.shouldKeepAlive = false;
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>));
    }
  }
  const respond = before(listener);
  const connections = new Connections({ ...LIMITS, ...limits });
  const server = createServer(
    { ...TIMEOUTS, ...timeouts, ServerResponse: ClosingResponse },
    (request, response) => {
      connections.responds(request.socket, response);
      if (hasOneHost(request)) respond(request, response);
      else response.writeHead(400, { connection: 'close' }).end();
    },
  );
  server.on('connection', (socket: Socket) => connections.add(socket));
  connections.start();

  return {
    /** Resolves with the URL for a client on this machine. */
    listen: (port: number, host: string) =>
      new Promise<string>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog: BACKLOG }, () => {
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
          for (const socket of connections.unused()) socket.destroy();
        });
      let idle: NodeJS.Timeout | undefined;
      const grace = setTimeout(() => (idle = setInterval(closeIdle, 50)), CLOSE_GRACE_MS);
      const limit = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
      await closed;
      connections.stop();
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
