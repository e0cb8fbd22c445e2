import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Cable {
  /** The server's pages, reached through the cable. */
  url: string;
  /** Ends every connection and refuses new ones; the server itself goes on. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** A connection to the server at `target` that can be cut. */
export async function startCable(target: string): Promise<Cable> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const cable = {
    get url() {
      return `http://${hostname}:${port}`;
    },
    async mend() {
      server = createServer((near) => {
        const far = connect(Number(targetPort), hostname);
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
          socket.pipe(other);
        }
      }).listen(port, hostname);
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
    },
    async cut() {
      const cutting = server;
      server = undefined;
      if (!cutting) return;
      const closed = once(cutting, 'close');
      cutting.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  await cable.mend();
  return cable;
}
