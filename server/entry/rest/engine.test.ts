import { expect, test } from 'vitest';
import { WebRequest } from '#server/http/endpoint-request.ts';
import type { RequestContext } from '../context.ts';
import { replyTo } from './engine.ts';

test('an answer whose bytes cannot be made is an error of the server, not a promise that nobody handles', async () => {
  const endpoint = {
    GET: {
      handle: () => ({
        etag: '"a"',
        size: 5000,
        in: () => Promise.reject(new Error('out of memory')),
      }),
    },
  };
  const context = {
    requestId: 'one',
    services: { config: { sharedCacheSeconds: 0 } },
  } as unknown as RequestContext;
  const request = new WebRequest(new Request('http://localhost/api/mesh'));
  await expect(replyTo(endpoint, request, context, {})).resolves.toMatchObject({ status: 500 });
});
