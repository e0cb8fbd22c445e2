import { afterAll, beforeAll, expect, test } from 'vitest';
import { activeName, aPing } from '../contract/contract.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openPage } from './page.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' } });
  await activeName(server, { name: 'garage-lab', nodeId: 'Node_Garage' });
  await server.post('/api/mesh/ping', aPing({ nodeId: 'Node_Garage', label: 'Garage' }));
  await server.post('/api/mesh/ping', aPing({ nodeId: 'node_blocked' }));
  await server.services.nodes.block({ nodeId: 'node_blocked', reviewer: 'ada', reason: 'test' });
  await server.post('/api/registry/register', {
    action: 'start',
    name: 'secret-plan',
    nodeId: 'node_p',
    kinds: ['node'],
  });
});
afterAll(() => server.stop());

test.each([
  ['/names/garage-labb', '/registry/garage-lab', 'There is no active name garage-labb .'],
  ['/garage-lab', '/registry/garage-lab', 'Did you mean garage-lab?'],
  ['/a/b/gargae-lab', '/registry/garage-lab', 'Did you mean garage-lab?'],
  ['/node/node_garage', '/nodes/Node_Garage', 'There is no node node_garage .'],
  ['/Node_Garag', '/nodes/Node_Garage', 'Did you mean Node_Garage?'],
  ['/compute', '/computes', 'There is no page /compute . Did you mean /computes?'],
  ['/trend/', '/trends', 'Did you mean /trends?'],
])('%s may have been meant for %s', async (path, href, says) => {
  const page = await openPage(server, path);
  expect(page.status).toBe(404);
  expect(page.text).toContain(says);
  expect(page.html).toMatch(new RegExp(`<a [^>]*href="${href}"[^>]*>View `));
  expect(page.meta('robots')).toBe('noindex');
});

test.each([
  '/secret-plan',
  '/secret-pla',
  '/node_blocked',
  '/node_blocke',
  '/node_p',
  '/no',
  `/${'x'.repeat(100)}`,
  '/%00%FF',
  '/a/%2e%2e/%3Cscript%3Ealert(1)',
])('nothing is said of what isn’t public, or is near nothing: %s', async (path) => {
  const page = await openPage(server, path);
  expect(page.status).toBe(404);
  expect(page.text).not.toContain('Did you mean');
  expect(page.html).not.toContain('<script>alert');
});

test('it says what is there instead', async () => {
  const { text } = await openPage(server, '/nothing-here');
  expect(text).toContain('1 node, 1 online');
  expect(text).toContain('1 active name ');
});

test('a program that sends something to it still gets an error that it can read', async () => {
  const { status, headers } = await server.post('/nothing-here', {});
  expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
});

test('a name or a node that nobody has says which one may have been meant', async () => {
  const name = await openPage(server, '/registry/garage-labb');
  expect(name.text).toContain('Did you mean garage-lab ?');
  const node = await openPage(server, '/nodes/Node_Garagee');
  expect(node.text).toContain('Did you mean Node_Garage ?');
  for (const path of ['/registry/secret-pla', '/nodes/node_blocke'])
    expect((await openPage(server, path)).text).not.toContain('Did you mean');
});
