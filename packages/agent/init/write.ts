import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeDurable } from '@mesh-registry/protocol/durable-file.ts';
import { CommandError, usageError } from '../base/exit.ts';
import { createIdentity } from '../identity/key-file.ts';
import type { Answers } from './options.ts';
import { configText } from './config-text.ts';

export type Written = ReturnType<typeof writeFiles>;

/**
 * Writes configuration, secret and key. A key that is there already stays: it is the node's identity.
 * @returns where they are; `secret` is null if none was stored
 * @throws CommandError
 */
export function writeFiles(answers: Answers, config: string) {
  const folder = dirname(config);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    const identity = createIdentity(join(folder, 'identity.key'));
    const { secret } = answers;
    let secretFile = secret.kind === 'file' ? secret.path : null;
    if (secret.kind === 'value') {
      writeDurable(join(folder, 'secret'), `${secret.value}\n`);
      secretFile = 'secret';
    }
    // Readable by a unit's own user: there is no secret in it.
    writeDurable(config, configText(answers, secretFile), { mode: 0o644 });
    return {
      config,
      key: identity.file,
      publicKey: identity.publicKey,
      keyIsNew: identity.isNew,
      secret: secret.kind === 'value' ? join(folder, 'secret') : null,
    };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `The files cannot be written to ${folder}: ${(error as Error).message}. Choose another place with --config.`,
    );
  }
}

/** @throws CommandError if there is a configuration that must not be replaced */
export function requireAbsent(config: string, force: boolean): void {
  if (!force && existsSync(config))
    throw usageError(
      `${config} exists already. Edit it, or replace it with --force (the key stays).`,
    );
}
