import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './port.ts';

export interface NetworkProxy {
  /** The target's URL, by way of the proxy. */
  url: string;
  /** Closes every connection and refuses new ones, while the target keeps running. */
  cut(): Promise<void>;
  restore(): Promise<void>;
}

/**
 * Relays TCP to the host and port of the target URL.
 * @param options.refuse looks at the first bytes of each connection; what it returns is sent back, and the connection closed
 * @param options.onSent called with what clients send
 * @param options.delayMs how long bytes take in each direction
 */
export async function startNetworkProxy(
  target: string,
  {
    refuse,
    onSent,
    delayMs = 0,
  }: {
    refuse?: (first: Buffer) => Buffer | null;
    onSent?: (chunk: Buffer) => void;
    delayMs?: number;
  } = {},
): Promise<NetworkProxy> {
  const { hostname, port } = new URL(target);
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  // Not any free port: while the proxy is cut, another program must not get it.
  url.port = String(await freePort());
  const sockets = new Set<Socket>();
  const passOn = (from: Socket, to: Socket) => {
    if (delayMs === 0) return from.pipe(to);
    const later = (bytes: Buffer) => setTimeout(() => to.destroyed || to.write(bytes), delayMs);
    return from.on('data', later);
  };
  const relay = (near: Socket) => {
    const far = connect({ port: Number(port), host: hostname, noDelay: true });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      if (socket === far || !refuse) passOn(socket, other);
    }
    if (onSent) near.on('data', onSent);
    if (!refuse) return;
    near.once('data', (first) => {
      const answer = refuse(first);
      if (answer) return near.end(answer);
      far.write(first);
      passOn(near, far);
    });
  };
  let server: Server | undefined;
  const proxy = {
    url: url.href.replace(/\/$/, ''),
    async restore() {
      server = createServer({ noDelay: true }, relay).listen(Number(url.port), '127.0.0.1');
      await once(server, 'listening');
    },
    async cut() {
      if (!server) return;
      const closed = once(server, 'close');
      server.close();
      server = undefined;
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  await proxy.restore();
  return proxy;
}
