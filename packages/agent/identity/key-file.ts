import type { KeyObject } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createDurable, removeUnfinished } from '@mesh-registry/protocol/durable-file.ts';
import {
  generateNodeKey,
  nodeKeyFromPem,
  nodeKeyText,
  nodeKeyToPem,
} from '@mesh-registry/protocol/keys/node-key.ts';
import { CommandError, configurationError } from '../base/exit.ts';
import type { Config } from '../config/load.ts';
import { credentialFile, type Env } from '../config/paths.ts';

/** The node's private key, in a file that only its owner can read. */
export interface Identity {
  /** The private key. */
  key: KeyObject;
  /** The public key as text. */
  publicKey: string;
  file: string;
}

/** Where this process reads the key: systemd's copy of it, which only the unit can read, or the configured file. */
export const identityFile = (config: Pick<Config, 'node'>, env: Env): string =>
  credentialFile('identity.key', env) ?? config.node.keyFile;

/** The key in use. @throws CommandError if there is none, others can read it, or it is no such key */
export function readIdentity(config: Pick<Config, 'node'>, env: Env): Identity {
  const file = identityFile(config, env);
  // systemd guards its copies by the folder and by access lists, which look like rights of the group.
  return readIdentityFile(file, { guarded: file !== config.node.keyFile });
}

/** @throws CommandError as {@link readIdentity} does */
export function readIdentityFile(file: string, { guarded = false } = {}): Identity {
  let pem: string;
  try {
    if (!guarded) {
      removeUnfinished(file);
      requirePrivate(file);
    }
    pem = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw configurationError(
      code === 'ENOENT'
        ? `There is no key in ${file}. "mesh-agent init" makes one; node.key_file names another.`
        : code === 'EACCES'
          ? `The key in ${file} cannot be read by this user. Run the command as the user who owns it.`
          : `The key cannot be read from ${file}: ${message}`,
    );
  }
  return { ...parse(pem, file), file };
}

/** The bits of a file's mode that give a group, or everybody, any right. */
export const OTHERS = 0o077;

function requirePrivate(file: string): void {
  const { mode } = statSync(file);
  if ((mode & OTHERS) === 0) return;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  throw configurationError(
    `Others can read the key in ${file} (mode ${shown}). Whoever has it can sign in your name. Run: chmod 600 ${file}`,
  );
}

function parse(pem: string, file: string): Omit<Identity, 'file'> {
  try {
    const key = nodeKeyFromPem(pem);
    return { key, publicKey: nodeKeyText(key) };
  } catch {
    throw configurationError(
      `${file} holds no Ed25519 private key in PEM. Restore it from your back-up, or move it away and make another.`,
    );
  }
}

/** Makes a key and its file; one that is there already stays, and is read. */
export function createIdentity(file: string): Identity & { isNew: boolean } {
  if (existsSync(file)) return { ...readIdentityFile(file), isNew: false };
  removeUnfinished(file);
  const key = generateNodeKey();
  createDurable(file, nodeKeyToPem(key));
  return { key, publicKey: nodeKeyText(key), file, isNew: true };
}
