import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, EXIT } from '../base/exit.ts';

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
    throw new CommandError(
      `The path ${file} is too long for a Unix socket. Choose a shorter one with --state.`,
      EXIT.configuration,
    );
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const server = createServer((socket) => {
    // Whoever asks may be gone before the answer.
    socket.on('error', () => {});
    answer(socket);
  });
  await listen(server, temporary);
  try {
    // Before it has its name. By the mask of the process it would concern all files that are made meanwhile.
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

function listen(server: Server, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(file, resolve);
  });
}

/** Gives a socket its name: linking fails where there is a file already. */
async function take(temporary: string, file: string): Promise<void> {
  for (;;) {
    if (linkTo(temporary, file)) return;
    const owner = await ownerOf(file);
    if (owner === 'alive') throw new InUseError(file);
    if (owner === 'none') continue;
    const turn = takeTurn(file);
    if (turn) await turn.use(() => removeDead(file));
    else await sleep(RETRY_MS);
  }
}

/** @returns whether there was no file */
function linkTo(temporary: string, file: string): boolean {
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** Only whose turn it is may remove a dead socket: others would remove what has taken its place. */
async function removeDead(file: string): Promise<void> {
  if ((await ownerOf(file)) === 'dead') rmSync(file, { force: true });
}

/** A turn takes milliseconds. One that is older, milliseconds, was cut short by a crash. */
const TURN_STALE_MS = 5000;
const RETRY_MS = 20;

/** Null: another process has it. */
function takeTurn(file: string): { use(action: () => Promise<void>): Promise<void> } | null {
  const directory = `${file}.turn`;
  try {
    mkdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const since = statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > TURN_STALE_MS) rmSync(directory, { recursive: true, force: true });
    return null;
  }
  return {
    use: (action) => action().finally(() => rmSync(directory, { recursive: true, force: true })),
  };
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
