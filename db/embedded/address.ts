import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { relative } from 'node:path';
import { NAME, passwordOf } from './cluster.ts';
import { EmbeddedError } from '../connection/errors.ts';
import { readPidFile } from './leftover.ts';
import type { Settings } from './settings.ts';

/**
 * How a cluster is reached: through a Unix socket in its own directory, which only its account and root can enter. Where
 * the path of that is too long, over loopback with a password.
 */

/** Longest path of a socket, bytes: 107 on Linux, 103 on macOS. */
const PATH_MAX = process.platform === 'linux' ? 107 : 103;
/** A socket's name ends with a port, although nobody listens on it. */
const PORT = 5432;
const SOCKET = `.s.PGSQL.${PORT}`;

/** The server's settings. It works in the directory of the cluster, so its own path to the socket is short. */
export async function addressFor(cluster: string): Promise<Settings> {
  return socketDirectory(cluster) === null
    ? { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: await freePort() }
    : { listen_addresses: '', unix_socket_directories: '.', port: PORT };
}

/**
 * The URL of the server that runs on a cluster, as in DATABASE_URL.
 * @throws EmbeddedError if none does
 */
export function urlOf(cluster: string): string {
  const file = readPidFile(cluster);
  if (!file)
    throw new EmbeddedError(`The database in ${cluster} is not running. Try again in a moment.`);
  const { address, port } = file;
  if (address !== '') return `postgres://${NAME}:${passwordOf(cluster)}@${address}:${port}/${NAME}`;
  const directory = socketDirectory(cluster);
  if (directory === null)
    throw new EmbeddedError(
      `The path of the database's socket in ${cluster} is longer than ${PATH_MAX} bytes. Run this in the directory in which the service was started.`,
    );
  return `postgres://${NAME}@localhost:${port}/${NAME}?host=${encodeURIComponent(directory)}`;
}

/** The shorter way to name it. Null if both are too long. */
function socketDirectory(cluster: string): string | null {
  const short = relative(process.cwd(), cluster);
  const directory = [cluster, `./${short}`].find(
    (path) => Buffer.byteLength(`${path}/${SOCKET}`) <= PATH_MAX,
  );
  return directory ?? null;
}

/** Whether a server listens on the cluster's socket: also one whose process cannot be seen, in another container. */
export async function isAnswering(cluster: string): Promise<boolean> {
  const directory = socketDirectory(cluster);
  if (directory === null) return false;
  const socket = connect(`${directory}/${SOCKET}`);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
