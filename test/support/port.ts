import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A free port below the range for outgoing connections: while the server is down, a port in that range
 * could be given to any client, even one that is trying to connect to the server.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(20_000, 32_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
  throw new Error('No free port between 20000 and 32000.');
}
