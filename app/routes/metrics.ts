import { endpoint } from '#app/lib/rest.server.ts';

/** GET /metrics, for Prometheus. Labels contain nothing that identifies a client. */
const { loader, action } = endpoint({
  file: async ({ context: { metrics, requestId } }) =>
    new Response(await metrics.registry.metrics(), {
      headers: {
        'content-type': metrics.registry.contentType,
        'cache-control': 'no-store',
        'x-request-id': requestId,
      },
    }),
});
export { loader, action };
