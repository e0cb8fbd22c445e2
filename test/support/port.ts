import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range for outgoing connections: while a server is down, a port in that range could be given to any client,
 * even one that is trying to connect to the server.
 */
const FIRST = 20_000;
const LAST = 32_000;
/** Ports of one worker of a test run: two that start a server at a time never find the same port free. */
const SHARE = 250;

const worker = Number(
  process.env['VITEST_POOL_ID'] ?? process.env['TEST_PARALLEL_INDEX'] ?? randomInt(1000),
);
/** The workers of a run have one parent, which tells them from those of another run on this machine. */
const base = FIRST + ((31 * process.ppid + worker) % ((LAST - FIRST) / SHARE)) * SHARE;
let next = randomInt(SHARE);

/** A free port that no one else of this test run is given: it may be used a little later. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < SHARE; attempt += 1) {
    const port = base + (next++ % SHARE);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
  throw new Error(`No free port between ${base} and ${base + SHARE}.`);
}
