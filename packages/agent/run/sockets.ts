import { join } from 'node:path';
import { CommandError, EXIT } from '../base/exit.ts';
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
    throw new CommandError(
      `${file} cannot be created: ${(error as Error).message}. Give the agent a directory it can write with --state.`,
      EXIT.configuration,
    );
  }
}
