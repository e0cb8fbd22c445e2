import { api } from '#app/lib/rest-endpoint.server.ts';

/** GET /api/registry: active names, with the status of their node and compute offer. */
const { loader, action } = api({
  GET: { list: () => true, handle: ({ services }) => services.registry.answer() },
});
export { loader, action };
