import { connect, type Socket } from 'node:net';

/** Connections that cost a server more than their client: they send or read as slowly as they like, or nothing at all. */

/** What such a connection does. */
export interface Way {
  /** What it sends first. */
  begin: string;
  /** What it sends every {@link PACE_MS} from then on, whatever comes back. */
  drip: string;
  /** How many bytes it reads each time; everything if left out. */
  reads?: number;
}

export interface HeldOptions {
  url: string;
  /** Local addresses that they come from, in turn. */
  from: readonly (string | undefined)[];
  connections: number;
  /** Shared among the connections, in turn. */
  ways: readonly Way[];
}

export interface HeldResult {
  /** Connections that are open at the end, as far as their client knows. */
  open: number;
  /** Connections that the server has closed. Each was opened again. */
  closed: number;
}

const PACE_MS = 5000;
/** A connection that was closed comes again after so long. */
const REOPEN_MS = 1000;
/** So many are opened at the same time, so that the queue of new connections does not overflow. */
const OPENING = 20;

/** Opens the connections, and opens each again that is closed. @returns ends them */
export async function holdConnections(options: HeldOptions): Promise<() => HeldResult> {
  const { connections } = options;
  const sockets = new Set<Socket>();
  let closed = 0;
  let ended = false;

  /** Resolves once it is open and has begun, or could not be opened. */
  const hold = (n: number): Promise<void> =>
    new Promise((resolve) => {
      const socket = openHeld(options, n);
      socket.once('connect', () => sockets.add(socket) && resolve());
      socket.once('close', () => {
        resolve();
        if (ended) return;
        if (sockets.delete(socket)) closed++;
        setTimeout(() => !ended && void hold(n), REOPEN_MS);
      });
    });
  let next = 0;
  const openSome = async () => {
    while (next < connections) await hold(next++);
  };
  await Promise.all(Array.from({ length: OPENING }, openSome));
  return () => {
    ended = true;
    const open = sockets.size;
    for (const socket of sockets) socket.destroy();
    return { open, closed };
  };
}

function openHeld({ url, from, ways }: HeldOptions, n: number): Socket {
  const { hostname, port } = new URL(url);
  const { begin, drip, reads } = ways[n % ways.length] as Way;
  const localAddress = from[n % from.length];
  const socket = connect({
    port: Number(port),
    host: hostname,
    ...(localAddress !== undefined && { localAddress }),
  });
  socket.on('error', () => {});
  // Without a listener a socket reads 64 KiB, and then no more.
  if (reads === undefined) socket.resume();
  let pace: NodeJS.Timeout | undefined;
  socket.once('connect', () => {
    socket.write(begin);
    pace = setInterval(() => {
      socket.write(drip);
      if (reads !== undefined && reads > 0) socket.read(reads);
    }, PACE_MS);
  });
  socket.once('close', () => clearInterval(pace));
  return socket;
}
