import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { configurationError } from '../base/exit.ts';

/** Where things are: the XDG directories, or those that systemd makes for a unit. */

export type Env = Readonly<Record<string, string | undefined>>;

const NAME = 'mesh-agent';
const SYSTEM_CONFIG = `/etc/${NAME}/config.toml`;
/** The runtime directories of the two units. */
const SYSTEM_RUNTIME = { 'agent.sock': '/run/mesh-agent', 'peer.sock': '/run/mesh-peer' };

/** The XDG specification ignores relative paths. @param fallback below the home directory */
const xdg = (value: string | undefined, ...fallback: string[]) =>
  value !== undefined && isAbsolute(value) ? value : join(homedir(), ...fallback);

/** The first of the directories that systemd gives, which colons divide. */
const first = (value: string | undefined) => value?.split(':')[0] || undefined;

export const userConfigFile = (env: Env) =>
  join(xdg(env['XDG_CONFIG_HOME'], '.config'), NAME, 'config.toml');

/** The configuration to use. @param given `--config` @throws CommandError if there is none */
export function configFile(given: string | undefined, env: Env): string {
  if (given !== undefined) return resolve(given);
  const candidates = [userConfigFile(env), SYSTEM_CONFIG];
  const found = candidates.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw configurationError(
    `There is no configuration yet: neither ${candidates.join(' nor ')} exists. Run "mesh-agent init", or name a file with --config.`,
  );
}

/** What the agent remembers, and its lock. @param given `--state` */
export const stateDirectory = (given: string | undefined, env: Env): string =>
  given !== undefined
    ? resolve(given)
    : (first(env['STATE_DIRECTORY']) ?? join(xdg(env['XDG_STATE_HOME'], '.local', 'state'), NAME));

/** The sockets of `mesh-agent run` and of `mesh-agent peer`. */
type SocketName = keyof typeof SYSTEM_RUNTIME;

/** Where the running process answers `status`. @param given `--state`: agents that have their own state are told apart */
export function socketFile(
  given: string | undefined,
  env: Env,
  name: SocketName = 'agent.sock',
): string {
  const directory =
    given !== undefined
      ? resolve(given)
      : (first(env['RUNTIME_DIRECTORY']) ??
        (env['XDG_RUNTIME_DIR'] ? join(env['XDG_RUNTIME_DIR'], NAME) : stateDirectory(given, env)));
  return join(directory, name);
}

/** Where `status` looks for a running agent: that of this user, then that of the system. */
export const socketCandidates = (
  given: string | undefined,
  env: Env,
  name: SocketName = 'agent.sock',
): string[] => {
  const own = socketFile(given, env, name);
  return given !== undefined ? [own] : [own, join(SYSTEM_RUNTIME[name], name)];
};

/** A credential that systemd has loaded for this unit (LoadCredential=), or null. */
export function credentialFile(name: string, env: Env): string | null {
  const directory = env['CREDENTIALS_DIRECTORY'];
  const file = directory ? join(directory, name) : null;
  return file !== null && existsSync(file) ? file : null;
}
