import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './support/server.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

it('every line of the curl tour works, as written, one after the other', async () => {
  const tour = readme.match(/## A tour with curl[\s\S]*?```sh\n([\s\S]*?)```/)?.[1];
  expect(tour).toBeDefined();
  // Every answer on a line of its own, so that each can be looked at.
  const script = tour
    ?.replace(/^URL=.*$/m, `URL=${server.url}`)
    .replace(/^(curl .*)$/gm, '$1\necho');
  const answers = (await sh(script ?? '')).split('\n').filter((line) => line.startsWith('{'));
  expect(answers).toHaveLength(14);
  const [ping, mesh, , announce, computes, , , free, confirmed, registration] = answers.map(
    (line) => JSON.parse(line) as Record<string, unknown>,
  );
  expect(ping).toMatchObject({ ok: true, isNew: true, peer: { lat: 37.5, lng: -122.5 } });
  expect(mesh).toMatchObject({ stats: { peers: 1, online: 1 } });
  expect(announce).toMatchObject({ computes: [{ listed: false, reason: 'name_not_active' }] });
  expect(computes).toMatchObject({ stats: { total: 0 } });
  expect(free).toMatchObject({ available: true });
  expect(confirmed).toMatchObject({ status: 'pending_review' });
  expect(registration).toMatchObject({ status: 'pending_review', name: 'garage' });
  for (const answer of answers) expect(JSON.parse(answer)).not.toMatchObject({ ok: false });
});

it('every file that README and CONTRIBUTING name is there', () => {
  for (const document of ['README.md', 'CONTRIBUTING.md']) {
    const text = readFileSync(join(root, document), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\(((?!https?:)[^)#]+)\)/g))
      expect(existsSync(join(root, decodeURIComponent(target))), `${document}: ${target}`).toBe(
        true,
      );
  }
});

/** Runs a script; curl is the machine's, or ours where it has none. */
async function sh(script: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'mesh-registry-curl-'));
  const hasCurl = spawnSync('curl', ['--version']).status === 0;
  if (!hasCurl)
    writeFileSync(
      join(directory, 'curl'),
      `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, 'support', 'curl.mjs')}" "$@"\n`,
      { mode: 0o755 },
    );
  const child = spawn('sh', ['-eu'], {
    env: { ...process.env, PATH: `${directory}:${process.env['PATH']}` },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(script);
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));
  rmSync(directory, { recursive: true });
  expect(code).toBe(0);
  return out;
}
