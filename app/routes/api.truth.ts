import { api } from '#app/lib/rest-endpoint.server.ts';

/** GET /api/truth: the network's signed root and truth. */
const { loader, action } = api({
  GET: { handle: ({ services }) => services.truth.answer() },
});
export { loader, action };
