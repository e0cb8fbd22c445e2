import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BackupError } from './format.ts';

/**
 * A socket in the data directory, through which a running service gives a backup of its embedded database: no other
 * process may open that. Whoever connects gets one. Only the user who runs the service can.
 */

/** The shorter way to name it: a socket's path has at most 107 bytes. */
function socketPath(dataDir: string): string {
  const path = join(dataDir, 'backup.sock');
  const fromHere = relative(process.cwd(), path);
  return fromHere.length < path.length ? fromHere : path;
}

/**
 * Call while holding the directory's lock. Without the socket (a file system that has none, a path too long) the
 * service runs as well, but backups have to wait until it is stopped.
 * @returns closes the socket, and breaks off backups that are being read
 */
export function offerBackups(
  dataDir: string,
  backup: () => AsyncIterable<Uint8Array>,
): () => Promise<void> {
  const path = socketPath(dataDir);
  rmSync(path, { force: true });
  const readers = new Set<Socket>();
  const server = createServer((socket) => {
    readers.add(socket);
    socket.once('close', () => readers.delete(socket));
    // The reader sees that the end is missing.
    pipeline(Readable.from(backup(), { objectMode: false }), socket).catch(() => socket.destroy());
  });
  server.on('error', () => undefined);
  server.listen(path, () => {
    try {
      chmodSync(path, 0o600);
    } catch {
      server.close();
    }
  });
  server.unref();
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of readers) socket.destroy();
    });
}

/** The backup of the service that runs on this directory; null if none does. */
export async function requestBackup(dataDir: string): Promise<AsyncIterable<Uint8Array> | null> {
  const socket = connect(socketPath(dataDir));
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return readAll(socket);
  } catch (error) {
    // No socket, or one that a killed service left.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ECONNREFUSED', 'EINVAL'].includes(code)) return null;
    throw error;
  }
}

async function* readAll(socket: Socket): AsyncGenerator<Uint8Array> {
  try {
    yield* socket;
  } catch (error) {
    throw new BackupError('The service stopped before the backup was complete.', { cause: error });
  }
}
