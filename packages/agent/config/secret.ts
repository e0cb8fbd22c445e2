import { readFileSync } from 'node:fs';
import { configurationError } from '../base/exit.ts';
import type { Config } from './load.ts';
import { credentialFile, type Env } from './paths.ts';

export const SECRET_VARIABLE = 'MESH_AGENT_SECRET';

export interface Secret {
  value: string;
  /** Where it came from, for messages. */
  source: string;
  /** True if it cannot change while the agent runs: it is in the environment, or in systemd's copy from the start. */
  fixed: boolean;
}

/**
 * The network's shared secret: from the environment, from systemd's credential `secret`, or from the configured
 * file. Null if none is configured.
 * @throws CommandError if it cannot be read or sent; the message never contains it
 */
export function readSecret(config: Pick<Config, 'service'>, env: Env): Secret | null {
  const given = env[SECRET_VARIABLE];
  if (given !== undefined && given !== '')
    return { ...checked(given, SECRET_VARIABLE), fixed: true };
  const credential = credentialFile('secret', env);
  const file = credential ?? config.service.secretFile;
  if (file === null) return null;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw configurationError(`The secret cannot be read from ${file}: ${(error as Error).message}`);
  }
  return { ...checked(text, file), fixed: credential !== null };
}

/** @throws CommandError */
export function checked(text: string, source: string): Omit<Secret, 'fixed'> {
  const value = text.trim();
  if (value === '') throw configurationError(`The secret in ${source} is empty.`);
  if (!/^[\x21-\x7e]+$/.test(value))
    throw configurationError(
      `The secret in ${source} must be one line of visible ASCII characters: it is sent in a header.`,
    );
  return { value, source };
}
