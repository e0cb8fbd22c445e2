import type { KeyObject } from 'node:crypto';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { nodeKeyToPem } from '@mesh-registry/protocol/keys/node-key.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { aRoot, keys, loggers, role, root } from '../../test/support/network-truth.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { readBlockKey, requireBlockKey } from './block-key.ts';

const [key, stranger] = [...loggers, ...keys(1)] as [KeyObject, KeyObject];

test('a key that others can read is refused, and so is what is none', () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const file = join(path, 'block.key');
  writeFileSync(file, nodeKeyToPem(key), { mode: 0o600 });
  expect(nodeKeyToPem(readBlockKey(file))).toBe(nodeKeyToPem(key));
  for (const mode of [0o640, 0o604, 0o660]) {
    chmodSync(file, mode);
    expect(() => readBlockKey(file)).toThrow(
      `REGISTRY_LOG_KEY_FILE: others can read ${file} (mode 0${mode.toString(8)}). Run: chmod 600 ${file}`,
    );
    // systemd guards its copies by other means.
    expect(nodeKeyToPem(readBlockKey(file, true))).toBe(nodeKeyToPem(key));
  }
  chmodSync(file, 0o600);
  writeFileSync(file, 'hunter2');
  expect(() => readBlockKey(file)).toThrow(/has no Ed25519 private key in PEM/);
  expect(() => readBlockKey(file)).not.toThrow(/hunter2/);
  rmSync(file);
  expect(() => readBlockKey(file)).toThrow(/the key can’t be read. ENOENT/);
});

test('a key counts if the root names it, and asks for no other signature', () => {
  const trust = new Trust(root());
  expect(() => requireBlockKey(key, trust)).not.toThrow();
  expect(() => requireBlockKey(stranger, trust)).toThrow(
    /^REGISTRY_LOG_KEY_FILE: version 1 of the network’s root, in TRUTH_FILE, doesn’t name \S{43} as a block key.$/,
  );
  const roles = { ...aRoot().roles, block: role([key, stranger], 2) };
  expect(() => requireBlockKey(key, new Trust(root({ roles })))).toThrow(
    /wants 2 signatures of each block/,
  );
});
