import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configurationError } from '../base/exit.ts';

/** Longest path of a Unix socket, bytes, on all systems. */
const PATH_MAX = 103;

/** Another process listens there. */
export class InUseError extends Error {
  override readonly name = 'InUseError';
}

/**
 * Listens on a Unix socket that one process at a time can have, so that it is a lock as well: it ends with its
 * process, whatever ended that. What a dead process has left is taken over; of several that try, one wins.
 * @throws InUseError if a process listens there, CommandError if the path does not do
 */
export async function listenExclusively(
  file: string,
  answer: (socket: Socket) => void,
): Promise<{ close(): void }> {
  const temporary = `${file}.${randomUUID().slice(0, 8)}`;
  if (Buffer.byteLength(temporary) > PATH_MAX)
    throw configurationError(
      `The path ${file} is too long for a Unix socket. Choose a shorter one with --state.`,
    );
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const server = createServer((socket) => {
    // The process that asks may have ended before the answer.
    socket.on('error', () => {});
    answer(socket);
  });
  await once(server.listen(temporary), 'listening');
  // A connection that could not be accepted ends nothing else.
  server.on('error', () => {});
  try {
    // It gets its rights before its name. The process's mask would give them to all files that are made meanwhile.
    chmodSync(temporary, 0o600);
    await take(temporary, file);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  server.unref();
  return {
    close() {
      // In this order: while it listens, nobody else gives the name to another socket.
      rmSync(file, { force: true });
      server.close();
    },
  };
}

/** A turn takes milliseconds. One that is older, milliseconds, was cut short by a crash. */
const TURN_STALE_MS = 5000;
const RETRY_MS = 20;

/** Gives a socket its name: linking fails where there is a file already. */
async function take(temporary: string, file: string): Promise<void> {
  while (!succeeds(() => linkSync(temporary, file))) {
    const owner = await ownerOf(file);
    if (owner === 'alive') throw new InUseError(file);
    if (owner === 'dead' && !(await removeDead(file))) await sleep(RETRY_MS);
  }
}

/** @returns false if there is such a file or folder already */
function succeeds(create: () => void): boolean {
  try {
    create();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/**
 * Removes a dead socket. Only whose turn it is may do so: others would remove what has taken its place.
 * @returns false if it is another process's turn
 */
async function removeDead(file: string): Promise<boolean> {
  const turn = `${file}.turn`;
  if (!succeeds(() => mkdirSync(turn))) {
    const since = statSync(turn, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > TURN_STALE_MS) rmSync(turn, { recursive: true, force: true });
    return false;
  }
  try {
    if ((await ownerOf(file)) === 'dead') rmSync(file, { force: true });
    return true;
  } finally {
    rmSync(turn, { recursive: true, force: true });
  }
}

function ownerOf(file: string): Promise<'alive' | 'dead' | 'none'> {
  return new Promise((resolve) => {
    const socket = connect(file);
    socket.once('connect', () => {
      socket.destroy();
      resolve('alive');
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ENOENT') resolve('none');
      // Anything else, such as EACCES or EAGAIN: somebody is there.
      else resolve(code === 'ECONNREFUSED' || code === 'ENOTSOCK' ? 'dead' : 'alive');
    });
  });
}
