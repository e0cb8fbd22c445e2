import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './support/server.ts';
import { sh } from './support/shell.ts';

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
