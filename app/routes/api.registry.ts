import { api } from '#app/lib/rest-endpoint.server.ts';

/** GET /api/registry: active names, and whether their node and compute are there now. */
const { loader, action } = api({
  GET: { handle: ({ services }) => services.registry.answer() },
});
export { loader, action };
