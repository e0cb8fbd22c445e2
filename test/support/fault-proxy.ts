import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server } from 'node:https';
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import type { Certificate } from './certificate.ts';
import { freePort } from './port.ts';

/** What becomes of a request: `forward` sends it to the target, and its answer back. */
export type Fault = (
  request: IncomingMessage,
  response: ServerResponse,
  forward: () => void,
) => void;

export interface FaultProxy {
  url: string;
  /** From now on this becomes of requests, and what a fault has kept from its answer is cut; null: they are forwarded. */
  inject(fault: Fault | null): void;
  /** Sends requests to another target from now on. */
  redirect(target: string): void;
  /** From the next request on. Only with TLS. */
  present(certificate: Certificate): void;
  /** Refuses connections from now on. */
  away(): void;
  back(): Promise<void>;
  /** How many requests have come. */
  requests(): number;
  stop(): void;
}

/**
 * Stands between a client and a service, and does what networks do to requests. Each request has a connection of its own:
 * what changes here counts from the next one on, and none is lost on a connection that the other side is just closing.
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
  const sockets = new Set<Socket>();
  /** What a fault keeps from its answer. */
  const held = new Set<Socket>();
  const forward = (incoming: IncomingMessage, response: ServerResponse) => {
    const { method, url: path, headers, socket } = incoming;
    held.delete(socket);
    const { hostname, port } = to;
    // A new connection each: none is closed while a request is on its way.
    const onward = request({ agent: false, hostname, port, method, path, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part: string) => (body += part));
      answer.on('end', () => {
        const {
          'content-length': _,
          'transfer-encoding': __,
          connection: ___,
          'keep-alive': ____,
          ...kept
        } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, kept).end(edit(body));
      });
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  };
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    const { socket } = incoming;
    count++;
    response.shouldKeepAlive = false;
    // An answer that is not compressed can be edited.
    delete incoming.headers['accept-encoding'];
    const onward = () => forward(incoming, response);
    if (!fault) return onward();
    held.add(socket);
    response.once('close', () => held.delete(socket));
    fault(incoming, response, onward);
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    server.emit('connection', socket);
  };
  const dropHeld = () => held.forEach((socket) => socket.destroy());
  // It keeps its port while it is away, so no client may be given that.
  const port = await freePort();
  /** Apart from the one that answers: a service that is away still answers what has come. */
  let front: NetServer | undefined;
  const listen = async () => {
    front = createNetServer(accept).listen(port, '127.0.0.1');
    await once(front, 'listening');
  };
  const away = () => void front?.close();
  await listen();
  return {
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    inject(next) {
      fault = next;
      dropHeld();
    },
    redirect: (next) => (to = new URL(next)),
    present: (next) => (server as Server).setSecureContext(next),
    away,
    back: listen,
    requests: () => count,
    stop() {
      away();
      for (const socket of sockets) socket.destroy();
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
