import { readFileSync } from 'node:fs';
import { removeUnfinished } from '@mesh-registry/protocol/durable-file.ts';
import { configurationError } from '../base/exit.ts';
import type { Config } from './load.ts';
import { credentialFile, type Env } from './paths.ts';

export const SECRET_VARIABLE = 'MESH_AGENT_SECRET';
/** The option that does what `insecure_http` in the configuration does. */
export const INSECURE_OPTION = '--insecure-http';

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
  if (credential === null) removeUnfinished(file);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw configurationError(`The secret cannot be read from ${file}: ${(error as Error).message}`);
  }
  return { ...checked(text, file), fixed: credential !== null };
}

/**
 * The same, as it may be sent to the service.
 * @throws CommandError also if it would go to another machine without TLS
 */
export function secretToSend(config: Pick<Config, 'file' | 'service'>, env: Env): Secret | null {
  const secret = readSecret(config, env);
  if (secret !== null) requirePrivateWay(config, `The secret from ${secret.source}`);
  return secret;
}

/**
 * Stops what others must not read from going over plain HTTP to another machine.
 * @param what begins the sentence: `The secret from …`
 * @throws CommandError
 */
export function requirePrivateWay(
  { file, service }: Pick<Config, 'file' | 'service'>,
  what: string,
) {
  const { url, insecureHttp } = service;
  if (insecureHttp || isPrivateWay(url)) return;
  throw configurationError(
    `${what} would go to ${url} without TLS, and everybody on the way could read it. Change service.url in ${file} to the https address of the service. To send it all the same, set insecure_http = true in [service], or say ${INSECURE_OPTION}.`,
  );
}

/** Whether only the service reads what is sent to an address: it has TLS, or is on this machine. */
export function isPrivateWay(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || LOOPBACK.test(hostname);
}

/** As `URL` writes hosts: it has made other spellings of an IP address one of these. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

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
