import { api } from '#app/lib/rest-endpoint.server.ts';

/** GET /metrics: what Prometheus reads. No label holds anything of a client. */
const { loader, action } = api({
  GET: {
    handle: async ({ metrics: { registry }, requestId }) =>
      new Response(await registry.metrics(), {
        headers: {
          'content-type': registry.contentType,
          'cache-control': 'no-store',
          'x-request-id': requestId,
        },
      }),
  },
});
export { loader, action };
