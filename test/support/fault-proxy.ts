import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Certificate } from './certificate.ts';

/** What becomes of a request: `forward` sends it to the target, and its answer back. */
export type Fault = (
  request: IncomingMessage,
  response: ServerResponse,
  forward: () => void,
) => void;

export interface FaultProxy {
  url: string;
  /** From now on, on new connections: this becomes of requests; null: they are forwarded. */
  inject(fault: Fault | null): void;
  /** Sends requests to another target from now on. */
  redirect(target: string): void;
  /** From now on, on new connections. Only with TLS. */
  present(certificate: Certificate): void;
  /** Closes every connection and refuses new ones. */
  away(): Promise<void>;
  back(): Promise<void>;
  /** How many requests have come. */
  requests(): number;
  stop(): Promise<void>;
}

/**
 * Stands between a client and a service, and does what networks do to requests.
 * @param options.certificate makes it an HTTPS server
 * @param options.edit changes the body of forwarded answers
 */
export async function startFaultProxy(
  target: string,
  {
    certificate,
    edit = (body) => body,
  }: { certificate?: Certificate; edit?: (body: string) => string } = {},
): Promise<FaultProxy> {
  let fault: Fault | null = null;
  let to = new URL(target);
  let count = 0;
  /** What is being forwarded ends first: cut off, it would be a fault that no test has asked for. */
  const forwarding = new Set<Socket>();
  const retired = new WeakSet<Socket>();
  const forward = (incoming: IncomingMessage, response: ServerResponse) => {
    const { method, url: path, headers, socket } = incoming;
    forwarding.add(socket);
    response.once('close', () => {
      forwarding.delete(socket);
      if (retired.has(socket)) socket.destroy();
    });
    const { hostname, port } = to;
    const onward = request({ hostname, port, method, path, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part: string) => (body += part));
      answer.on('end', () => {
        const { 'content-length': _, 'transfer-encoding': __, ...kept } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, kept).end(edit(body));
      });
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  };
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    count++;
    // An answer that is not compressed can be edited.
    delete incoming.headers['accept-encoding'];
    const onward = () => forward(incoming, response);
    if (fault) fault(incoming, response, onward);
    else onward();
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  const sockets = new Set<Socket>();
  server.on(certificate ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const dropConnections = () => sockets.forEach((socket) => socket.destroy());
  const retireConnections = () => {
    for (const socket of sockets)
      if (forwarding.has(socket)) retired.add(socket);
      else socket.destroy();
  };
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    dropConnections();
    await closed;
  };
  return {
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    inject(next) {
      fault = next;
      retireConnections();
    },
    redirect: (next) => (to = new URL(next)),
    present(next) {
      (server as Server).setSecureContext(next);
      retireConnections();
    },
    away: close,
    back: async () => void (await listen(port)),
    requests: () => count,
    stop: async () => {
      if (server.listening) await close();
    },
  };
}

/** Answers instead of the target. */
export const answer =
  (status: number, body: string | object, headers: Record<string, string> = {}): Fault =>
  (_, response) =>
    typeof body === 'string'
      ? response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
      : response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(body));

/** Never answers. */
export const silence: Fault = () => {};

/** Closes the connection in the middle of the answer. */
export const cutAnswer: Fault = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  response.write('{"ok":true,', () => response.destroy());
};

/** Forwards after a while. */
export const delay =
  (ms: number): Fault =>
  (_, response, forward) => {
    const timer = setTimeout(forward, ms);
    response.once('close', () => clearTimeout(timer));
  };
