import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readSecret } from './secret.ts';

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'mesh-agent-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const configured = (secretFile: string | null) => ({
  service: { url: 'https://mesh.example.org', secretFile },
});

it('The secret is that of the environment, of systemd, or of the file, in this order', () => {
  const path = folder();
  const file = join(path, 'mine');
  writeFileSync(file, ' from-file \n');
  expect(readSecret(configured(null), {})).toBeNull();
  expect(readSecret(configured(file), {})?.value).toBe('from-file');
  writeFileSync(join(path, 'secret'), 'from-systemd');
  expect(readSecret(configured(file), { CREDENTIALS_DIRECTORY: path })?.value).toBe('from-systemd');
  expect(
    readSecret(configured(file), { CREDENTIALS_DIRECTORY: path, MESH_AGENT_SECRET: 'from-env' }),
  ).toEqual({ value: 'from-env', source: 'MESH_AGENT_SECRET', fixed: true });
});

it('A secret that cannot be sent is refused without being shown', () => {
  const file = join(folder(), 'secret');
  for (const bad of ['', ' \n', 'hunter2\nhunter3', 'hünter2']) {
    writeFileSync(file, bad);
    let message = '';
    try {
      readSecret(configured(file), {});
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toContain(file);
    expect(message).not.toMatch(/h.nter/);
  }
});
