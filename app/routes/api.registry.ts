import { endpoint } from '#app/lib/rest.server.ts';

/** GET /api/registry: active names, with the status of their node and compute offer. */
const { loader, action } = endpoint({
  GET: { list: () => true, handle: ({ services }) => services.registry.answer() },
});
export { loader, action };
