import { afterAll, beforeAll, expect, test } from 'vitest';
import { aPing } from '../contract/contract.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test('characters of several bytes arrive whole, wherever they fall in the stream of a page', async () => {
  for (let n = 0; n < 30; n++)
    await server.post('/api/mesh/ping', aPing({ nodeId: `node_${n}`, label: '語'.repeat(30) }));
  // Each length of the search moves what follows it by a byte.
  for (const q of ['no', 'nod', 'node', 'node_']) {
    const html = Buffer.from(await (await server.get(`/?view=list&q=${q}`)).arrayBuffer());
    expect(html.includes('語'.repeat(30))).toBe(true);
    expect(html.includes(0)).toBe(false);
  }
});
