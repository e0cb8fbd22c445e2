import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BlockError } from '@mesh-registry/protocol/log/block.ts';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import { DamagedLogError } from '@mesh-registry/protocol/log/segment.ts';
import { CommandError, usageError } from '../base/exit.ts';
import { stateDirectory, type Env } from '../config/paths.ts';
import { readKnown } from '../truth/known.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';

/** Where the peer process of this machine keeps what it knows. */
const peerDirectory = (state: string | undefined, env: Env): string =>
  join(stateDirectory(state, env), 'peer');

/**
 * Opens a log for reading; a process may be appending to it.
 * @param given its directory; without it, the log that the peer process keeps
 * @throws CommandError
 */
export function openLog(
  given: string | undefined,
  state: string | undefined,
  env: Env,
): BlockReader {
  const directory = given === undefined ? join(peerDirectory(state, env), 'log') : resolve(given);
  if (!existsSync(directory))
    throw new CommandError(
      given === undefined
        ? `No peer has kept a log here (${directory}). Name the directory of one.`
        : `There is no ${directory}.`,
    );
  try {
    return BlockReader.open(directory);
  } catch (error) {
    throw unreadable(error);
  }
}

/** What to tell of an error while a log is read. */
export function unreadable(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const told =
    error instanceof DamagedLogError || error instanceof BlockError || code !== undefined;
  return told ? new CommandError(`The log cannot be read: ${message}`) : error;
}

/**
 * What a log is checked against.
 * @param files of `--trust`; without any, what the peer process believes
 * @throws CommandError if there is nothing to begin with
 */
export function trustFor(
  files: readonly string[] | undefined,
  state: string | undefined,
  env: Env,
): Trust {
  const own = join(peerDirectory(state, env), 'trust.json');
  if (!files && !existsSync(own))
    throw usageError(
      "Name the network's root, or what GET /api/truth of its service answers: --trust FILE. No peer has kept one here.",
    );
  const known = readKnown(files ?? [own], Date.now);
  if (!known) throw usageError('--trust: name a file.');
  return known.trust;
}
