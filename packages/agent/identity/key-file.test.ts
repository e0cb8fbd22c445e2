import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createIdentity, readIdentity } from './key-file.ts';

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'mesh-agent-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const node = (keyFile: string) => ({ node: { id: 'node_a', keyFile } });

describe('the key of a node', () => {
  it('is made once, for its owner alone', () => {
    const file = join(folder(), 'keys', 'identity.key');
    const made = createIdentity(file);
    expect(made.isNew).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = createIdentity(file);
    expect(again).toMatchObject({ isNew: false, publicKey: made.publicKey });
    expect(readIdentity(node(file), {}).publicKey).toBe(made.publicKey);
  });

  it.each([0o640, 0o604, 0o660, 0o644])('is not used when others can read it (%o)', (mode) => {
    const file = join(folder(), 'identity.key');
    createIdentity(file);
    chmodSync(file, mode);
    expect(() => readIdentity(node(file), {})).toThrow(`chmod 600 ${file}`);
  });

  it('may be the copy that systemd guards by its folder', () => {
    const path = folder();
    const { publicKey } = createIdentity(join(path, 'identity.key'));
    chmodSync(join(path, 'identity.key'), 0o440);
    const read = readIdentity(node('/nowhere/identity.key'), { CREDENTIALS_DIRECTORY: path });
    expect(read.publicKey).toBe(publicKey);
  });

  it('that is none is told, without what the file holds', () => {
    const file = join(folder(), 'identity.key');
    writeFileSync(file, 'hunter2', { mode: 0o600 });
    expect(() => readIdentity(node(file), {})).toThrow(/holds no Ed25519 private key/);
    expect(() => readIdentity(node(file), {})).not.toThrow(/hunter2/);
  });
});
