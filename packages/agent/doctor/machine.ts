import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CommandError } from '../base/exit.ts';
import type { Config } from '../config/load.ts';
import type { Env } from '../config/paths.ts';
import { secretToSend, type Secret } from '../config/secret.ts';
import { OTHERS, readIdentity, type Identity } from '../identity/key-file.ts';
import { readFreeSlots } from '../run/free-slots.ts';
import { fail, ok, warn, type Check } from '../terminal/check.ts';

/** What can be checked without the service. */

const NODE_MIN = [20, 19] as const;

/** @param version such as `20.19.4` */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])
    ? ok('Node.js', version)
    : fail('Node.js', version, `Install Node.js ${NODE_MIN.join('.')} or later.`);
}

export function checkKey(config: Config, env: Env): { check: Check; identity: Identity | null } {
  try {
    const identity = readIdentity(config, env);
    return { check: ok('Key', `${identity.publicKey} in ${identity.file}`), identity };
  } catch (error) {
    return { check: fail('Key', messageOf(error)), identity: null };
  }
}

export function checkSecret(config: Config, env: Env): { check: Check; secret: Secret | null } {
  try {
    const secret = secretToSend(config, env);
    return { check: describeSecret(secret), secret };
  } catch (error) {
    return { check: fail('Secret', messageOf(error)), secret: null };
  }
}

function describeSecret(secret: Secret | null): Check {
  if (secret === null)
    return ok('Secret', 'none configured; see below whether the service requires one');
  const { source } = secret;
  const mode = statSync(source, { throwIfNoEntry: false })?.mode ?? 0;
  // Container engines mount secrets readable for all, inside of the container.
  return (mode & OTHERS) === 0 || secret.fixed
    ? ok('Secret', `from ${source}`)
    : warn('Secret', `others can read ${source}`, `Run: chmod 600 ${source}`);
}

/** Whether the agent can keep its state there. */
export function checkState(directory: string): Check {
  // The agent makes what is missing.
  let existing = directory;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    if (!statSync(existing).isDirectory()) throw new Error(`${existing} isn't a directory`);
    accessSync(existing, constants.W_OK | constants.X_OK);
    return ok('State', directory);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fail(
      'State',
      code === 'EACCES' ? `${existing} can't be written by this user` : message,
      'Run the agent as the user who owns it, or choose another directory with --state.',
    );
  }
}

/** Whether the free slots of each offer can be read now. */
export const checkOffers = ({ compute }: Config, env: Env): Promise<Check[]> =>
  Promise.all(
    compute.map(async ({ name, free_slots }) => {
      const slots = await readFreeSlots(free_slots, env, new AbortController().signal);
      return slots.ok
        ? ok(`Offer ${name}`, `${slots.freeSlots} slots are free`)
        : fail(
            `Offer ${name}`,
            `its free slots are unknown: ${slots.message}`,
            "Fix free_slots. Until then the offer isn't announced.",
          );
    }),
  );

function messageOf(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  throw error;
}
