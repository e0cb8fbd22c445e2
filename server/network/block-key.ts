import type { KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { nodeKeyFromPem, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import { ConfigError } from '#server/config.ts';

/** A group, or everybody, may do something with it. */
const OTHERS = 0o077;

/**
 * Reads the key that signs blocks.
 * @param guarded it is systemd's copy, which its folder and access lists keep from others
 * @throws ConfigError if there is none, or others can read it
 */
export function readBlockKey(file: string, guarded = false): KeyObject {
  let pem: string;
  try {
    const { mode } = statSync(file);
    if (!guarded && (mode & OTHERS) !== 0)
      throw new ConfigError(
        `REGISTRY_LOG_KEY_FILE: others can read ${file} (mode ${(mode & 0o777).toString(8).padStart(4, '0')}). Run: chmod 600 ${file}`,
      );
    pem = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(
      `REGISTRY_LOG_KEY_FILE: the key can’t be read. ${(error as Error).message}`,
    );
  }
  try {
    return nodeKeyFromPem(pem);
  } catch {
    throw new ConfigError(
      `REGISTRY_LOG_KEY_FILE: ${file} has no Ed25519 private key in PEM. “mesh-agent truth key FILE” makes one.`,
    );
  }
}

/** @throws ConfigError if blocks that this key alone has signed do not count in the network */
export function requireBlockKey(key: KeyObject, { root }: Trust): void {
  const { keys, threshold } = root.roles.block;
  if (!keys.includes(nodeKeyText(key)))
    throw new ConfigError(
      `REGISTRY_LOG_KEY_FILE: version ${root.version} of the network’s root, in TRUTH_FILE, doesn’t name ${nodeKeyText(key)} as a block key.`,
    );
  if (threshold > 1)
    throw new ConfigError(
      `REGISTRY_LOG_KEY_FILE: the network’s root, in TRUTH_FILE, wants ${threshold} signatures of each block. The registry signs with one key.`,
    );
}
