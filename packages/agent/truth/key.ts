import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { nodeKeyFromText } from '@mesh-registry/protocol/keys/node-key.ts';
import { configurationError, usageError } from '../base/exit.ts';
import { createIdentity, readIdentityFile } from '../identity/key-file.ts';

/** The keys of a network's holders: the same kind as a node's, in files of their own. */

export interface HolderKey {
  /** The private half. */
  key: KeyObject;
  /** The public half, as text. */
  publicKey: string;
}

/** @throws CommandError if it is missing, others can read it, or it is no such key */
export function readHolderKey(file: string): HolderKey {
  if (!existsSync(file))
    throw configurationError(`There is no key in ${file}. Make one: mesh-agent truth key ${file}`);
  return readIdentityFile(file);
}

/** Makes a key and its file, mode 0600; one that is there already stays as it is. */
export const makeHolderKey = createIdentity;

/** A public key that was given as an option. @throws CommandError */
export function requirePublicKey(text: string, option: string): string {
  if (nodeKeyFromText(text) !== null) return text;
  throw usageError(
    `${option}: ${text} isn't a public key. Use the 43 characters that "mesh-agent truth key FILE" prints.`,
  );
}
