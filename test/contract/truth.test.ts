import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR, iso, loggers, owners, root, START, truth } from '../support/network-truth.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { describeContract, expectError } from './contract.ts';

const PATH = '/api/truth';

const directory = mkdtempSync(join(tmpdir(), 'mesh-truth-'));
const file = join(directory, 'truth.json');
afterAll(() => rmSync(directory, { recursive: true }));

/** Puts another file in the place of the published one, whole, as an operator does. */
function publish(content: unknown): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
  return text;
}
const published = (version: number) => ({ roots: [root()], truth: truth({ version }) });

const start = (clock: () => number = () => START + HOUR) =>
  startTestServer({ env: { TRUTH_FILE: file }, clock });

describeContract(`GET ${PATH} without TRUTH_FILE`, {}, ({ server }) => {
  test('says that there is none', async () => {
    await expectError(server, await server.get(PATH), 404, 'not_found');
  });
});

const running: TestServer[] = [];
beforeAll(async () => {
  publish(published(3));
  running.push(await start());
});
afterAll(() => Promise.all(running.map((server) => server.stop())));

test('the file is published byte for byte, with an ETag', async () => {
  const [server] = running;
  const text = publish(published(4));
  await server?.services.truth.refresh();
  const response = await server?.get(PATH);
  expect(await response?.text()).toBe(text);
  const etag = response?.headers.get('etag') ?? '';
  const again = await server?.get(PATH, { headers: { 'if-none-match': etag } });
  expect(again?.status).toBe(304);
});

test('a file that goes back, forks, or cannot be believed is not published', async () => {
  const [server] = running;
  const text = publish(published(7));
  await server?.services.truth.refresh();
  for (const wrong of [
    published(6),
    { roots: [root()], truth: truth({ version: 7, minProtocol: 2 }) },
    { roots: [root()], truth: truth({ version: 8 }, owners) },
    { roots: [root({}, owners.slice(0, 1))], truth: truth({ version: 8 }) },
    { roots: [root({ network: 'other' })], truth: truth({ version: 8, network: 'other' }) },
    { roots: [root()], truth: truth({ version: 8 }), bans: [] },
    { truth: truth({ version: 8 }) },
    text.slice(0, -1),
  ]) {
    publish(wrong);
    await server?.services.truth.refresh();
    expect(await (await server?.get(PATH))?.text()).toBe(text);
  }
  const next = publish({
    roots: [root(), root({ version: 2, issued: iso(START + 1) })],
    truth: truth({ version: 8 }),
  });
  await server?.services.truth.refresh();
  expect(await (await server?.get(PATH))?.text()).toBe(next);
});

test('a service does not start with a file that cannot be believed, and says why', async () => {
  for (const [wrong, why] of [
    ['{', 'It is not JSON.'],
    [{ roots: [root()], truth: truth({}, loggers) }, 'The truth is not signed: 0 of 2 signatures'],
  ] as const) {
    publish(wrong);
    await expect(start()).rejects.toThrow(`TRUTH_FILE: ${file} can’t be published. ${why}`);
  }
  rmSync(file);
  await expect(start()).rejects.toThrow('ENOENT');
});

test('what has expired is still published: peers tell how old it is', async () => {
  const text = publish(published(1));
  const server = await start(() => START + 200 * HOUR);
  running.push(server);
  expect(await (await server.get(PATH)).text()).toBe(text);
});
