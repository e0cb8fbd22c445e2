import type { ServerBuild } from '@remix-run/node';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import { activeName, aCompute, aPing, expectError, freshId } from '../contract/contract.ts';
import { prepareCard } from '#app/features/registry/card.server.ts';
import { prepareFiles } from '#server/entry/prepared-files.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { revoke } from '../support/decisions.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openPage } from './page.ts';

const clock = new FakeClock();
const directory = temporaryDirectory();
let database: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({
    env: { ...database.env, DATA_DIR: directory.path, RATE_LIMITS: 'off', TRUST_PROXY: '1' },
    clock: clock.read,
  });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
  directory.remove();
});

const card = (name: string, init?: RequestInit) => server.get(`/registry/${name}/card.png`, init);
const tag = async (name: string) => (await card(name)).headers.get('etag');
/** The file of a card. A client that has anything gets the tag alone: nothing is drawn. */
const fileOf = async (name: string) => {
  const { status, headers } = await card(name, { headers: { 'if-none-match': '*' } });
  expect(status).toBe(304);
  return join(directory.path, 'pictures', `${JSON.parse(headers.get('etag') ?? '')}.png`);
};
/** Pictures for as many clients. @param from of each call others */
const askForPictures = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="${500 + from + n}"/>`;
    return server.services.pictures.picture(svg).png(`client ${from + n}`);
  });
const ping = (nodeId: string, fields = {}) =>
  server.post('/api/mesh/ping', aPing({ nodeId, ...fields }));

test('the card of a name is a PNG of 1200 by 630 pixels that any site may show and keep for five minutes', async () => {
  const { name } = await activeName(server, { label: "My (garage) & 'co'" });
  const answer = await card(name);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  });
  const png = Buffer.from(await answer.arrayBuffer());
  expect(png.length).toBe(Number(answer.headers.get('content-length')));
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  // The first chunk is the header: width and height.
  expect(png.toString('latin1', 12, 16)).toBe('IHDR');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630]);
});

test('its tag stays until what it shows changes, and spares drawing and sending it again', async () => {
  const nodeId = freshId();
  const { name } = await activeName(server, { nodeId, label: 'x'.repeat(64) });
  const silent = await tag(name);
  await ping(nodeId);
  const online = await tag(name);
  expect(online).not.toBe(silent);
  clock.advance(5000);
  await ping(nodeId);
  expect(await tag(name)).toBe(online);
  const again = await card(name, { headers: { 'if-none-match': `W/${online}` } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  clock.advance(61_000);
  expect(await tag(name)).not.toBe(online);
});

test('any name and label can be drawn, whatever is known of the node', async () => {
  const labels = ['n'.repeat(64), 'Гараж', '机房', 'Ωμέγα', 'Søren’s'.replace('’', "'")];
  for (const [n, label] of labels.entries()) {
    const nodeId = freshId();
    const name = `${'m'.repeat(30)}${n}m`;
    await activeName(server, { name, nodeId, label, region: 'ZZ', kinds: ['compute'] });
    await server.post('/api/registry/computes', { nodeId, computes: [aCompute({ name })] });
    await ping(nodeId, { lat: -80, lng: 180 - n });
    expect((await card(name)).status).toBe(200);
  }
});

test('many who ask at once get the same picture', async () => {
  const { name } = await activeName(server);
  // More than may wait to be drawn.
  const answers = await Promise.all(Array.from({ length: 60 }, () => card(name)));
  expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));
  const sizes = await Promise.all(answers.map(async (one) => (await one.arrayBuffer()).byteLength));
  expect(new Set(sizes).size).toBe(1);
});

test('one client’s many cards keep nobody else from theirs', async () => {
  const names = await Promise.all(
    Array.from({ length: 16 }, async () => (await activeName(server)).name),
  );
  const by = (name: string, client: string) =>
    card(name, { headers: { 'x-forwarded-for': client } });
  const greedy = names.slice(0, 12).map((name) => by(name, '203.0.113.1'));
  const others = names.slice(12).map((name, n) => by(name, `203.0.113.${n + 2}`));
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(4).fill(200));
  const answers = await Promise.all(greedy);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(8);
  for (const answer of refused) expect(answer.headers.get('retry-after')).toBe('2');
});

test('the card of a name is drawn once nobody can undo its acceptance, before anybody asks', async () => {
  const { paymentNote, name: undone } = await activeName(server);
  const { name } = await activeName(server);
  const [file, never] = [await fileOf(name), await fileOf(undone)];
  await server.services.review.undo({ note: paymentNote, reviewer: 'ada' });
  expect([existsSync(file), existsSync(never)]).toEqual([false, false]);
  clock.advance(UNDO_MS + 1);
  await expect.poll(() => existsSync(file)).toBe(true);
  // Its turn came before.
  expect(existsSync(never)).toBe(false);
});

test('a service that ends doesn’t wait for the turn of a card that it prepares', async () => {
  const { registry } = server.services;
  const { name } = await activeName(server);
  let begin!: () => void;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const endpoint = {
    file: () => new Response(),
    prepare: (...asked: Parameters<typeof prepareCard>) => {
      begin();
      return prepareCard(...asked);
    },
  };
  const loader = Object.assign(() => null, { endpoint });
  const routes = { file: { id: 'file', path: 'file', module: { default: undefined, loader } } };
  const end = prepareFiles(server.services, { routes } as unknown as ServerBuild);
  registry.activated.emit(name);
  clock.advance(UNDO_MS + 1);
  await begun;
  let drawn = 0;
  const asked = askForPictures(30).map((picture) => picture.then(() => drawn++));
  await end();
  expect(drawn).toBeLessThan(30);
  await Promise.all(asked);
});

test('a card is not drawn for a client that has hung up', async () => {
  const { name } = await activeName(server);
  const file = await fileOf(name);
  const asked = askForPictures(90, 100);
  const leaving = card(name, { signal: AbortSignal.timeout(100) });
  await expect(leaving).rejects.toThrow();
  // The turn of whoever asks now comes after its own.
  await Promise.all([...asked, ...askForPictures(1, 200)]);
  expect(existsSync(file)).toBe(false);
});

test('a card has at most 60 KB, where coasts and borders are long, and its name and label', async () => {
  const nodeId = freshId();
  const { name } = await activeName(server, {
    nodeId,
    name: 'w'.repeat(32),
    label: 'Гараж на севере города и у моря, щит',
  });
  await ping(nodeId, { lat: 75, lng: -75 });
  const bytes = await (await card(name)).arrayBuffer();
  expect(bytes.byteLength).toBeLessThan(60 * 1024);
});

test('a name that is not active has no card, and no picture on its page', async () => {
  for (const name of ['nobodys', '__proto__', '%3Cscript%3E', 'a%2Fb'])
    await expectError(server, await card(name), 404, 'not_found');
  const { id, name } = await activeName(server);
  expect((await card(name)).status).toBe(200);
  await revoke(server.services, { id, reviewer: 'ada', reason: 'a test' });
  await expectError(server, await card(name), 404, 'not_found');
  const page = await openPage(server, `/registry/${name}`);
  expect(page.meta('og:image')).toBeNull();
  expect(page.html).not.toContain('card.png');
});

test('it answers HEAD and OPTIONS, and no other method', async () => {
  const { name } = await activeName(server);
  const head = await card(name, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await card(name, { method: 'OPTIONS' })).status).toBe(204);
  const refused = await card(name, { method: 'POST', body: 'x' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test('links to a page show its card where PUBLIC_URL says under which URL it is', async () => {
  const { name } = await activeName(server);
  const unsure = await openPage(server, `/registry/${name}`);
  expect(unsure.meta('og:image')).toBe(`${server.url}/icon-512.png`);
  expect(unsure.meta('twitter:card')).toBe('summary');

  const known = await startTestServer({ env: { PUBLIC_URL: 'https://mesh.example' } });
  try {
    const mine = await activeName(known);
    const page = await openPage(known, `/registry/${mine.name}`);
    expect(page.meta('og:image')).toBe(`https://mesh.example/registry/${mine.name}/card.png`);
    expect([page.meta('og:image:width'), page.meta('og:image:height')]).toEqual(['1200', '630']);
    expect(page.meta('og:image:alt')).toBe(`${mine.name} on Mesh Registry: offline`);
    expect(page.meta('twitter:card')).toBe('summary_large_image');
    expect(page.text).toContain(`](https://mesh.example/registry/${mine.name})`);
    const vacant = await openPage(known, '/registry/nobodys');
    expect(vacant.meta('og:image')).toBeNull();
  } finally {
    await known.stop();
  }
});
