import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConfig } from '#server/config.ts';
import { createRateLimits } from '#server/entry/rate-limits.ts';
import { createMetrics } from '#server/entry/metrics.ts';
import { createOpenApi } from '#server/entry/openapi/document.ts';
import { createRequestContexts, type RequestContext } from '#server/entry/context.ts';
import { WebRequest } from '#server/http/endpoint-request.ts';
import { createLog } from '#server/log.ts';
import { createApi } from '#server/entry/trpc/router.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { activeName, aStart, freshId } from './contract.ts';

/** What loaders and actions call: `context.api`, the procedures as functions. */

let server: TestServer;
let contextOf: (headers?: Record<string, string>) => RequestContext;
let cookie: string;
beforeAll(async () => {
  server = await startTestServer();
  const config = parseConfig({ RATE_LIMITS: 'off' });
  const create = createRequestContexts({
    config,
    services: server.services,
    limits: createRateLimits(config, server.services.nodes.isKnown),
    metrics: createMetrics(),
    log: createLog('silent'),
    openapi: createOpenApi(config),
  });
  contextOf = (headers = {}) =>
    create(new WebRequest(new Request(server.url, { headers })), { remoteAddress: '127.0.0.1' });
  ({ cookie } = await signInReviewer(server.services));
});
afterAll(() => server.stop());

const byReviewer = () => contextOf({ cookie, origin: server.url });
const refused = (code: string, more: object = {}) => ({ name: 'AppError', code, ...more });

test('a query and a mutation give what the service gives', async () => {
  const { api } = byReviewer();
  const name = freshId('held');
  expect(await api.registry.availability({ name })).toMatchObject({ name, available: true });
  expect(await api.review.names.reserve({ name, reason: 'A test' })).toEqual({ name });
  expect(await api.registry.availability({ name })).toMatchObject({ reason: 'reserved' });
});

test('an error of the service is the AppError that the service threw', async () => {
  const { name } = await activeName(server);
  const { action: _, ...start } = aStart({ name }) as ReturnType<typeof aStart> & {
    kinds: ['node'];
  };
  const { api } = contextOf();
  await expect(api.registry.start(start)).rejects.toMatchObject(
    refused('name_taken', { issues: [{ path: 'name' }] }),
  );
});

test('invalid input is an AppError with an issue for each field', async () => {
  const { api } = contextOf();
  await expect(
    api.registry.start({ name: 'a', nodeId: 'x', kinds: ['node'] }),
  ).rejects.toMatchObject(
    refused('invalid_body', { issues: [{ path: 'name' }, { path: 'nodeId' }] }),
  );
});

test('procedures check the session and the origin of the request they are called for', async () => {
  const input = { name: freshId('held'), reason: 'A test' };
  await expect(
    contextOf({ origin: server.url }).api.review.names.reserve(input),
  ).rejects.toMatchObject(refused('unauthorized'));
  await expect(
    contextOf({ cookie, origin: 'https://elsewhere.example' }).api.review.names.reserve(input),
  ).rejects.toMatchObject(refused('forbidden'));
  await expect(byReviewer().api.review.accounts.list()).rejects.toMatchObject(refused('forbidden'));
});

test('an unexpected error arrives as it was thrown, for the log', async () => {
  const bug = new TypeError('a bug');
  const api = createApi({ ...contextOf(), requireReviewer: () => Promise.reject(bug) });
  await expect(api.review.nodes.blocked()).rejects.toBe(bug);
});

test('the caller is made once per request', () => {
  const context = contextOf();
  expect(context.api).toBe(context.api);
});
