import { join } from 'node:path';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { CommandError, configurationError, EXIT } from '../base/exit.ts';
import { InUseError, listenExclusively } from './exclusive-socket.ts';

interface SocketsOptions {
  /** The state directory. */
  directory: string;
  /** The socket for `status`. */
  file: string;
  program: 'agent' | 'peer process';
  status: () => object;
}

/** The lock of the state directory, and the socket for `status`: one process can have each. */
export async function openSockets({ directory, file, program, status }: SocketsOptions) {
  const answer = (socket: { end(text: string): void }) =>
    socket.end(`${JSON.stringify(status())}\n`);
  const [one, name] = program === 'agent' ? ['An agent', 'agent'] : ['A peer process', 'peer'];
  const lock = await exclusive(
    join(directory, `${name}.lock`),
    answer,
    `${one} already runs with the state directory ${directory}. "mesh-agent status" shows it; to run another one for another node, give it a directory of its own with --state.`,
  );
  try {
    const socket = await exclusive(
      file,
      answer,
      `Another ${program} of this user answers at ${file}. Give this one a directory of its own with --state.`,
    );
    return {
      close() {
        socket.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

async function exclusive(
  file: string,
  answer: (socket: { end(text: string): void }) => void,
  inUse: string,
) {
  try {
    return await listenExclusively(file, answer);
  } catch (error) {
    if (error instanceof InUseError) throw new CommandError(inUse, EXIT.running);
    if (error instanceof CommandError) throw error;
    throw configurationError(
      `${file} cannot be created: ${(error as Error).message}. Give the agent a directory it can write with --state.`,
    );
  }
}

/** How long a process may take to answer, milliseconds: while it syncs a slow disk, it answers nothing. */
const ANSWER_MS = 5000;

/**
 * What a running process says of itself on the first of some sockets that has one.
 * @param program for a message: `agent`, `peer process`
 * @returns null: none is running
 * @throws CommandError if it may not be asked, or does not answer
 */
export async function requestStatus(sockets: readonly string[], program: string): Promise<unknown> {
  for (const file of new Set(sockets)) {
    const answer = await request(file, program);
    if (answer !== null) return JSON.parse(answer);
  }
  return null;
}

async function request(file: string, program: string): Promise<string | null> {
  const socket = connect(file);
  socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('timeout')));
  try {
    return await text(socket);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') return null;
    throw new CommandError(
      code === 'EACCES'
        ? `The ${program} of another user runs here (${file}). Ask as that user or as root.`
        : `The ${program} at ${file} does not answer: ${message}.`,
    );
  }
}
