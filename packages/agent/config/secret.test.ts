import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isPrivateWay, readSecret, requirePrivateWay, secretToSend } from './secret.ts';

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'mesh-agent-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const configured = (secretFile: string | null, url = 'https://mesh.example.org') => ({
  file: '/etc/mesh-agent/config.toml',
  service: { url, secretFile, insecureHttp: false },
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

it('A secret goes to another machine with TLS only, unless the configuration says otherwise', () => {
  const env = { MESH_AGENT_SECRET: 'a-secret' };
  for (const url of [
    'https://mesh.example.org',
    'http://127.0.0.1:3000',
    'http://localhost/mesh',
    'http://[::1]:3000',
    'http://2130706433',
  ])
    expect(secretToSend(configured(null, url), env)?.value, url).toBe('a-secret');
  for (const url of [
    'http://mesh.example.org',
    'http://192.168.1.2:3000',
    'http://0.0.0.0',
    'http://localhost.example.org',
    'http://127.0.0.1.example.org',
    'http://a.localhost',
    'http://[::ffff:192.0.2.1]',
  ]) {
    expect(isPrivateWay(url), url).toBe(false);
    const config = configured(null, url);
    expect(() => secretToSend(config, env), url).toThrow(
      /without TLS.*https address.*insecure_http/,
    );
    expect(secretToSend(config, {})).toBeNull();
    const told = { ...config, service: { ...config.service, insecureHttp: true } };
    expect(secretToSend(told, env)?.value).toBe('a-secret');
    expect(() => requirePrivateWay(config, 'The ID')).toThrow(/^The ID would go to/);
  }
});
