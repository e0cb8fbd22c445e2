import { expect, test } from 'vitest';
import type { RequestContext } from '#server/entry/context.ts';
import { api } from './rest-endpoint.server.ts';
import { WebRequest } from './web-request.server.ts';

test('an answer whose bytes cannot be made is an error of the server, not a promise that nobody handles', async () => {
  const { loader } = api({
    GET: {
      handle: () => ({
        etag: '"a"',
        size: 5000,
        in: () => Promise.reject(new Error('out of memory')),
      }),
    },
  });
  const context = {
    requestId: 'one',
    services: { config: { sharedCacheSeconds: 0 } },
  } as unknown as RequestContext;
  const request = new WebRequest(new Request('http://localhost/api/mesh'));
  await expect(loader.endpoint(request, context)).resolves.toMatchObject({ status: 500 });
});
