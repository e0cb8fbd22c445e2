import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpServer {
  server: Server;
  port: number;
  /** Without a trailing slash. */
  url: string;
  /** Closes every connection, even in the middle of an answer. */
  stop: () => Promise<void>;
}

/** An HTTP server on the loopback interface that stands in for something outside the service. */
export async function startHttpServer(listener: RequestListener, port = 0): Promise<HttpServer> {
  const server = createServer(listener).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: actual } = server.address() as AddressInfo;
  return {
    server,
    port: actual,
    url: `http://127.0.0.1:${actual}`,
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
