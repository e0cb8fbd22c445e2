import { endpoint } from '#app/lib/rest.server.ts';

/** GET /metrics, for Prometheus. Labels contain nothing that identifies a client. */
const { loader, action } = endpoint({
  file: async ({ context: { metrics } }) => ({
    contentType: metrics.registry.contentType,
    headers: { 'cache-control': 'no-store' },
    body: await metrics.registry.metrics(),
  }),
  private: true,
});
export { loader, action };
