import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  generateNodeKey,
  nodeKeyText,
  nodeKeyToPem,
} from '@mesh-registry/protocol/keys/node-key.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import type { Ban } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { activeName } from '../contract/contract.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  HOUR,
  iso,
  loggers,
  owners,
  root,
  signers,
  START,
  truth,
} from '../support/network-truth.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openPage } from './page.ts';

const folder = temporaryDirectory();
const file = join(folder.path, 'truth.json');
const clock = new FakeClock(START + HOUR);
const publish = (bans: Ban[], version: number) =>
  writeFileSync(file, JSON.stringify({ roots: [root()], truth: truth({ version, bans }) }));

const aBan = (reason: string, since: number, until: number | null = null): Ban => ({
  peer: peerIdOfKey(nodeKeyText(generateNodeKey())),
  reason,
  since: iso(since),
  until: until === null ? null : iso(until),
});
const [ended, held] = [
  aBan('has ended', START, START + HOUR / 2),
  aBan('<b>floods</b>', START, START + 2 * HOUR),
];

let server: TestServer;
beforeAll(async () => {
  publish([ended, held], 3);
  const [key = generateNodeKey()] = loggers;
  const keyFile = join(folder.path, 'block.key');
  writeFileSync(keyFile, nodeKeyToPem(key), { mode: 0o600 });
  server = await startTestServer({
    env: {
      TRUTH_FILE: file,
      REGISTRY_LOG_DIR: join(folder.path, 'log'),
      REGISTRY_LOG_KEY_FILE: keyFile,
    },
    clock: clock.read,
  });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

test('the page of the network says what the current settings are, who has signed it, and how to check it', async () => {
  const { status, text, html } = await openPage(server, '/network');
  expect(status).toBe(200);
  expect(text).toContain(
    'Version 3 of the network’s signed settings is current 2 of 3 keys have signed it, 2 needed.',
  );
  for (const key of [...owners, ...signers].map(nodeKeyText)) expect(text).toContain(key);
  expect(text.match(/[\w-]{43} has signed/g)).toHaveLength(4);
  expect(text).toContain('1 ban');
  expect(text).toContain(`${held.peer} <b>floods</b>`);
  expect(text).not.toContain(ended.peer);
  expect(text).toContain(`curl -s ${server.url}/api/truth > truth.json`);
  // Each fingerprint of the page can be compared without scripts.
  expect(html).toMatch(/<code[^>]*>[0-9a-f]{64}<\/code>/);
});

test('it says how far the log of the service goes', async () => {
  expect((await openPage(server, '/network')).text).toContain(
    'This service has written no block yet.',
  );
  await activeName(server);
  clock.advance(10_000);
  await server.services.registryLog.write();
  const id = server.services.registryLog.head()?.id;
  expect((await openPage(server, '/network')).text).toMatch(
    new RegExp(`Block 1, written by this service [^,]*, \\S+( \\w+)* ${id}`),
  );
});

test('of many bans it lists the newest, and says how many there are', async () => {
  const bans = Array.from({ length: 150 }, (_, n) => aBan(`number ${n}.`, START + n));
  publish(bans, 4);
  await server.services.truth.refresh();
  const { text } = await openPage(server, '/network');
  expect(text).toContain('150 bans The newest 100.');
  expect(text).toContain('number 149.');
  expect(text).not.toContain('number 49.');
});

test('it says when the truth has expired', async () => {
  clock.advance(100 * HOUR);
  const { text } = await openPage(server, '/network');
  expect(text).toContain('The network’s signed settings have expired Nothing newer');
  expect(text).not.toContain('is current');
});

test('without a truth it says that there is none', async () => {
  const other = await startTestServer();
  try {
    const { status, text } = await openPage(other, '/network');
    expect(status).toBe(200);
    expect(text).toContain('publishes no signed settings');
    expect(text).not.toContain('is current');
    // Nothing leads to a page that says nothing.
    const linked = async (from: TestServer) => {
      const sources = ['/docs', '/docs/operators', '/sitemap.xml'];
      const texts = sources.map(async (path) => (await from.get(path)).text());
      return (await Promise.all(texts)).map((html) => /"\/network"|\/network</.test(html));
    };
    expect(await linked(other)).toEqual([false, false, false]);
    expect(await linked(server)).toEqual([true, true, true]);
  } finally {
    await other.stop();
  }
});
