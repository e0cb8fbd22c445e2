import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' } });
});
afterAll(() => server.stop());

test('the page of an error has its title in the head, once', async () => {
  const response = await server.get('/nothing-here');
  expect(response.status).toBe(404);
  const [head, body] = (await response.text()).split('</head>');
  expect(head).toContain('<title>Page not found · Mesh Registry</title>');
  // An icon may have a title of its own.
  expect(body?.replace(/<svg.*?<\/svg>/gs, '')).not.toContain('<title>');
});

test('the page of a wrong address searches for what the address seems to name', async () => {
  const text = await (await server.get('/names/garage-labb')).text();
  expect(text).toMatch(/<input[^>]*name="q"[^>]*value="garage-labb"/);
  // It didn't fail, so there is nothing to look up in the log.
  expect(text).not.toContain('data-request-id');
});
