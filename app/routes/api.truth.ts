import { endpoint } from '#app/lib/rest.server.ts';

/** GET /api/truth: the network's signed root and truth. */
const { loader, action } = endpoint({
  GET: { handle: ({ services }) => services.truth.answer() },
});
export { loader, action };
