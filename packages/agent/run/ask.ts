import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { CommandError } from '../base/exit.ts';

/** For a busy machine: a process that syncs a slow disk answers nothing meanwhile. */
const TIMEOUT_MS = 5000;

/**
 * What a running process says of itself on the first of some sockets that has one.
 * @param program for a message: `agent`, `peer process`
 * @returns null: none is running
 * @throws CommandError if it may not be asked, or does not answer
 */
export async function askProcess(sockets: readonly string[], program: string): Promise<unknown> {
  for (const file of new Set(sockets)) {
    const answer = await ask(file, program);
    if (answer !== null) return JSON.parse(answer);
  }
  return null;
}

async function ask(file: string, program: string): Promise<string | null> {
  const socket = connect(file);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('timeout')));
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
