import { api } from '#app/lib/rest-endpoint.server.ts';

/** GET /metrics, for Prometheus. Labels contain nothing that identifies a client. */
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
